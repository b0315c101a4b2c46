package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
)

var gzipMagic = []byte{0x1f, 0x8b}

// maxLayers is how often a body may be compressed. Twice happens: a file that is
// kept compressed, compressed again on its way.
const maxLayers = 2

// store writes a response's body to its file, decompressed, and completes the
// answer. An error is one of the folder; what is wrong with the body is part of the answer.
func (c *client) store(ctx context.Context, q *Request, response *http.Response, a *answer) error {
	if encoding := strings.ToLower(a.ContentEncoding); strings.Trim(strings.NewReplacer("x-gzip", "", "gzip", "", "identity", "").Replace(encoding), ", ") != "" {
		a.fail(reasonEncoding, "the body is compressed as "+a.ContentEncoding+", which was not asked for")
		return nil
	}
	t, err := c.ledger.Temporary()
	if err != nil {
		return err
	}
	defer t.Discard()
	b := &body{most: c.opts.MaxSize}
	size, sum, err := b.copyTo(t, response.Body)
	a.WireSize = b.wire
	switch {
	case err == nil && response.ContentLength >= 0 && b.wire != response.ContentLength:
		a.fail(reasonTruncated, fmt.Sprintf("%d bytes came, Content-Length says %d", b.wire, response.ContentLength))
		return nil
	case err == nil:
	case errors.Is(err, errWrite):
		return err
	default:
		a.failBody(ctx, err)
		return nil
	}
	if _, err := t.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read what was captured: %w", err)
	}
	if q.operation.extension(q.Params) == ".json" {
		err = checkJSON(t, size)
	} else {
		err = checkText(t, size, a.ContentType)
	}
	if err != nil {
		a.failPromise(err)
		return nil
	}
	a.Size, a.SHA256 = size, sum
	a.File = fileName(q, sum)
	a.Outcome = ledger.Complete
	return t.Keep(a.File)
}

func (a *answer) fail(reason, message string) {
	a.Outcome, a.Reason, a.Error = ledger.Failed, reason, clean(message)
}

// failBody tells what was wrong with a body that could not be read to its end.
func (a *answer) failBody(ctx context.Context, err error) {
	switch {
	case errors.Is(err, errTooLarge):
		a.fail(reasonTooLarge, err.Error())
	case errors.Is(err, errLayers):
		a.fail(reasonEncoding, err.Error())
	case errors.Is(ctx.Err(), context.DeadlineExceeded) || isTimeout(err):
		a.fail(reasonTimeout, "the body did not end in time")
	case errors.Is(err, io.ErrUnexpectedEOF):
		a.fail(reasonTruncated, "the body ends before its end")
	case errors.Is(err, errInflate):
		a.fail(reasonCorrupt, err.Error())
	default:
		a.fail(reasonNetwork, err.Error())
	}
}

// failPromise tells what was wrong with a body that is something else than was promised.
func (a *answer) failPromise(err error) {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		a.fail(reasonTruncated, "the JSON ends before its end")
	case errors.Is(err, errMessage):
		a.fail(reasonAPIError, err.Error())
	default:
		a.fail(reasonNotJSON, err.Error())
	}
}

var (
	errTooLarge = errors.New("the response is larger than is taken")
	errLayers   = errors.New("the body is compressed more than twice")
	errInflate  = errors.New("the body does not decompress")
	errWrite    = errors.New("write a capture")
	errMessage  = errors.New("the response is an error message")
)

// body reads the body of a response within its limits.
type body struct {
	most int64 // bytes, on the wire and decompressed
	wire int64 // bytes that came
}

// copyTo writes what the body is, decompressed, and returns its size and digest.
func (b *body) copyTo(w io.Writer, from io.Reader) (size int64, sha string, err error) {
	r, err := b.plain(from)
	if err != nil {
		return 0, "", err
	}
	h := sha256.New()
	size, err = io.Copy(io.MultiWriter(sink{w}, h), io.LimitReader(r, b.most+1))
	if err == nil && size > b.most {
		err = fmt.Errorf("%w: over %d bytes decompressed", errTooLarge, b.most)
	}
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// plain is the body decompressed as often as its first bytes say, asked for or not.
func (b *body) plain(from io.Reader) (io.Reader, error) {
	r := bufio.NewReader(&counted{from, b})
	for layer := 0; ; layer++ {
		head, err := r.Peek(len(gzipMagic))
		if err != nil && err != io.EOF {
			return nil, err
		}
		if !bytes.Equal(head, gzipMagic) {
			return r, nil
		}
		if layer == maxLayers {
			return nil, errLayers
		}
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, inflateError(err)
		}
		r = bufio.NewReader(inflated{z})
	}
}

// counted counts what comes, and ends what is too large.
type counted struct {
	r io.Reader
	b *body
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.b.wire += int64(n); c.b.wire > c.b.most {
		return n, fmt.Errorf("%w: over %d bytes", errTooLarge, c.b.most)
	}
	return n, err
}

// inflated tells errors of decompression from those of the connection.
type inflated struct{ r io.Reader }

func (i inflated) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	if err != nil && err != io.EOF {
		err = inflateError(err)
	}
	return n, err
}

func inflateError(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if _, corrupt := errors.AsType[flate.CorruptInputError](err); corrupt || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) {
		return fmt.Errorf("%w: %w", errInflate, err)
	}
	return err
}

// sink tells errors of writing from those of reading.
type sink struct{ w io.Writer }

func (s sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil {
		err = fmt.Errorf("%w: %w", errWrite, err)
	}
	return n, err
}

// gunzipped is the beginning of what compressed bytes hold, as far as an error's body matters.
func gunzipped(content []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil
	}
	plain, _ := io.ReadAll(io.LimitReader(z, maxErrorBody)) // what there is of it
	return plain
}

// checkJSON holds that r is one JSON value, and no error message in place of one.
// It holds no more of it in memory than an error message may have: what a server
// sends is as long as it likes.
func checkJSON(r io.Reader, size int64) error {
	var start bytes.Buffer
	from := io.TeeReader(r, &head{&start, 200})
	if size <= maxErrorBody {
		return checkSmall(json.NewDecoder(from), &start)
	}
	if err := (&jsonScanner{r: bufio.NewReaderSize(from, 64<<10)}).document(); err != nil {
		return jsonError(err, &start)
	}
	return nil
}

// checkText holds that r, which is to be CSV or text, is no page and no error message.
func checkText(r io.Reader, size int64, contentType string) error {
	if strings.HasPrefix(strings.ToLower(contentType), "text/html") {
		return errors.New("a page came in place of text")
	}
	if size > maxErrorBody {
		return nil
	}
	if err := checkSmall(json.NewDecoder(r), new(bytes.Buffer)); errors.Is(err, errMessage) {
		return err
	}
	return nil
}

// checkSmall is checkJSON for what may be an error message.
func checkSmall(d *json.Decoder, start *bytes.Buffer) error {
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return jsonError(err, start)
	}
	if of, ok := v.(map[string]any); ok && len(of) == 1 {
		if message, ok := of["error"].(string); ok {
			return fmt.Errorf("%w: %s", errMessage, message)
		}
	}
	return checkEnd(d, start)
}

// checkEnd holds that nothing follows.
func checkEnd(d *json.Decoder, start *bytes.Buffer) error {
	if _, err := d.Token(); err != io.EOF {
		if err == nil {
			err = errors.New("something follows its end")
		}
		return jsonError(err, start)
	}
	return nil
}

func jsonError(err error, start *bytes.Buffer) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("not the JSON that was promised (%w): it begins %q", err, strings.Join(strings.Fields(start.String()), " "))
}

// head keeps the first bytes.
type head struct {
	b    *bytes.Buffer
	most int
}

func (h *head) Write(p []byte) (int, error) {
	h.b.Write(p[:min(len(p), max(0, h.most-h.b.Len()))])
	return len(p), nil
}
