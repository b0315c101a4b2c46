package store

import (
	"context"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// saveCaptures writes the requests that a load read of into the ledger of loads.
// One that an earlier load read of is there already.
func (l *Load) saveCaptures(load int64, captures []record.InferenceXCapture) error {
	for i := range captures {
		c := &captures[i]
		var size any
		if c.File != "" {
			size = c.Size
		}
		_, err := l.exec(`
			INSERT INTO inferencex_captures (url, started_at, outcome, load_id, operation, params, final_url, duration_ms, attempts, status, file, size, sha256,
				wire_size, content_type, content_encoding, etag, last_modified, date, reason, error)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			c.URL, c.StartedAt, c.Outcome, load, c.Operation, c.Params, text(c.FinalURL), c.DurationMS, c.Attempts, number(c.Status), text(c.File), size, text(c.SHA256),
			c.WireSize, text(c.ContentType), text(c.Encoding), text(c.ETag), text(c.LastModified), text(c.Date), text(c.Reason), text(c.Error))
		if err != nil {
			return err
		}
	}
	return nil
}

// recordedCaptures are the requests that a load was the first to read of.
func (r *Reader) recordedCaptures(ctx context.Context, load int64) (all []record.InferenceXCapture, err error) {
	err = r.each(ctx, `
		SELECT url, started_at, outcome, operation, params, final_url, duration_ms, attempts, status, file, size, sha256, wire_size, content_type, content_encoding,
			etag, last_modified, date, reason, error
		FROM inferencex_captures WHERE load_id = :load ORDER BY url, started_at, outcome`, map[string]any{"load": load}, func(v []any) error {
		number := func(v any) int64 {
			n, _ := v.(int64)
			return n
		}
		all = append(all, record.InferenceXCapture{
			URL: textOf(v[0]), StartedAt: textOf(v[1]), Outcome: textOf(v[2]), Operation: textOf(v[3]), Params: textOf(v[4]), FinalURL: textOf(v[5]),
			DurationMS: number(v[6]), Attempts: number(v[7]), Status: number(v[8]), File: textOf(v[9]), Size: number(v[10]), SHA256: textOf(v[11]),
			WireSize: number(v[12]), ContentType: textOf(v[13]), Encoding: textOf(v[14]), ETag: textOf(v[15]), LastModified: textOf(v[16]), Date: textOf(v[17]),
			Reason: textOf(v[18]), Error: textOf(v[19]),
		})
		return nil
	})
	return all, err
}
