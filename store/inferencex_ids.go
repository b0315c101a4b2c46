package store

import (
	"cmp"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// The publisher's ids of benchmark rows are no identities: rows move. What an id
// means is kept for every capture. While a capture is read its digest is not known,
// so its rows get the key that it will have; a capture whose digest turns out to
// have one already said the same before.

// publishedID is an id of a benchmark row and the point that it means, 0 for a row that was set aside.
type publishedID struct{ id, point int64 }

// captureIDs are the ids of the current capture.
type captureIDs struct {
	capture int64         // the key that it gets, 0 before the first is stored
	waiting []publishedID // to be stored
	stored  int64
	digest  int64
	twice   bool // a row of ids came twice, and the digest has to be made of what is stored
}

// idsTogether are stored by one statement, in their order: that many, so that ids
// that come in no order cost little more than those that do.
const idsTogether = 1 << 17

// noteID keeps what the id of a row means. Raw artifacts, whose points may be removed, have none.
func (l *Load) noteID(row *record.InferenceXRow, point int64) error {
	if row.ID == nil || row.ArtifactDigest != "" {
		return nil
	}
	ids := &l.inferencex.ids
	ids.waiting = append(ids.waiting, publishedID{*row.ID, point})
	if len(ids.waiting) < idsTogether {
		return nil
	}
	return l.storeIDs()
}

var insertIDsSQL = "INSERT OR IGNORE" + strings.TrimPrefix(feedInto("inferencex_ids", "capture_id", "id", "point_id"), "INSERT")

func (l *Load) storeIDs() error {
	ids := &l.inferencex.ids
	if len(ids.waiting) == 0 {
		return nil
	}
	if ids.capture == 0 {
		_, err := l.queryRow(`SELECT ifnull((SELECT max(capture_id) FROM inferencex_id_captures), 0) + 1`, nil, &ids.capture)
		if err != nil {
			return err
		}
	}
	slices.SortFunc(ids.waiting, func(a, b publishedID) int {
		if a.id != b.id {
			return cmp.Compare(a.id, b.id)
		}
		return cmp.Compare(a.point, b.point)
	})
	err := l.feed(insertIDsSQL, len(ids.waiting), func(i, column int) driver.Value {
		switch column {
		case 0:
			return ids.capture
		case 1:
			return ids.waiting[i].id
		}
		return ids.waiting[i].point
	})
	if err != nil {
		return fmt.Errorf("store what %d ids mean: %w", len(ids.waiting), err)
	}
	var stored int64
	if _, err := l.queryRow(`SELECT changes()`, nil, &stored); err != nil {
		return err
	}
	ids.stored += stored
	ids.twice = ids.twice || stored < int64(len(ids.waiting))
	for _, id := range ids.waiting {
		ids.digest += id.digest()
	}
	ids.waiting = ids.waiting[:0]
	return nil
}

// digest is a row's share in the digest of a capture's ids, which is their sum.
func (p publishedID) digest() int64 {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], uint64(p.id))
	binary.LittleEndian.PutUint64(b[8:], uint64(p.point))
	sum := sha256.Sum256(b[:])
	return int64(binary.LittleEndian.Uint64(sum[:]))
}

// SaveIDs stores what the ids of the capture that was ended last mean, which is
// known by its digest. A capture that is known says what it said.
func (l *Load) SaveIDs(sha256 string) error {
	if err := l.storeIDs(); err != nil {
		return err
	}
	ids := &l.inferencex.ids
	if ids.capture == 0 {
		return nil
	}
	var known int64
	found, err := l.queryRow(`SELECT capture_id FROM inferencex_id_captures WHERE sha256 = ?`, []any{sha256}, &known)
	if err != nil {
		return err
	}
	if found {
		return l.forgetIDs()
	}
	l.changedPart("inferencex_id_captures", sha256)
	if _, err := l.exec(`INSERT INTO inferencex_id_captures (capture_id, sha256, ids) VALUES (?, ?, ?)`, ids.capture, sha256, ids.stored); err != nil {
		return err
	}
	if ids.twice {
		if ids.digest, err = l.digestOfIDs(ids.capture); err != nil {
			return err
		}
	}
	digest := ids.digest
	ids.capture = 0 // it is saved
	return l.saveTableDigests("inferencex_ids", map[string]int64{sha256: digest})
}

// forgetIDs makes ready for the ids of the next capture. Those of one that was begun and not saved go.
func (l *Load) forgetIDs() (err error) {
	ids := &l.inferencex.ids
	if ids.capture != 0 {
		_, err = l.exec(`DELETE FROM inferencex_ids WHERE capture_id = ?`, ids.capture)
	}
	*ids = captureIDs{waiting: ids.waiting[:0]}
	return err
}

// digestOfIDs is the digest of the ids of a capture that are stored.
func (l *Load) digestOfIDs(capture int64) (digest int64, err error) {
	err = l.query(`SELECT id, point_id FROM inferencex_ids WHERE capture_id = ?`, []any{capture}, func(scan func(...any) error) error {
		var p publishedID
		err := scan(&p.id, &p.point)
		digest += p.digest()
		return err
	})
	return digest, err
}

// idDigests are the digests of all ids that are stored, by capture. The rows of
// captures that are not there stand under "".
func (l *Load) idDigests() (map[string]int64, error) {
	digests := map[string]int64{}
	err := l.query(`SELECT ifnull(c.sha256, ''), i.id, i.point_id FROM inferencex_ids i LEFT JOIN inferencex_id_captures c ON c.capture_id = i.capture_id`, nil,
		func(scan func(...any) error) error {
			var of string
			var p publishedID
			err := scan(&of, &p.id, &p.point)
			digests[of] += p.digest()
			return err
		})
	return digests, err
}
