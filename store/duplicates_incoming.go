package store

import (
	"cmp"
	"database/sql/driver"
	"slices"
)

// incomingContents are contents that are not stored yet, with what is derived from them.
type incomingContents struct {
	contents     []incomingContent
	combinations [][2]int64 // content and combination
	contentPlaces
}

// contentPlaces are where contents lie: their keys and anchors.
type contentPlaces struct {
	anchors []incomingAnchor
	keys    [][2]int64 // key and content
	stored  int        // keys that were stored before
}

// many is how many keys are stored together. The more are stored already, the
// more pages each time goes over, and the more must share it.
func (in *contentPlaces) many() int { return min(1<<17, max(1<<15, in.stored/4)) }

type incomingContent struct {
	id               int64
	signature, block string
	values           int
}

type incomingAnchor struct {
	block string
	anchor
	content int64
}

var (
	insertContentSQL     = feedInto("run_contents", "content_id", "signature", "block", "value_count")
	insertCombinationSQL = feedInto("content_combinations", "content_id", "combination_id")
	insertAnchorSQL      = feedInto("content_anchors", "block", "metric", "value", "last_value", "content_id")
	insertKeySQL         = feedInto("content_keys", "key", "content_id")
)

// store stores contents that are not stored yet. Their keys and anchors
// it stores with those that wait, when they are many.
func (in *incomingContents) store(s *session, waiting *contentPlaces) error {
	err := s.feed(insertContentSQL, len(in.contents), func(i, column int) driver.Value {
		c := &in.contents[i]
		switch column {
		case 0:
			return c.id
		case 1:
			return c.signature
		case 2:
			return c.block
		default:
			return int64(c.values)
		}
	})
	if err != nil {
		return err
	}
	err = s.feed(insertCombinationSQL, len(in.combinations), func(i, column int) driver.Value { return in.combinations[i][column] })
	if err != nil {
		return err
	}
	waiting.keys, waiting.anchors = append(waiting.keys, in.keys...), append(waiting.anchors, in.anchors...)
	clear(in.contents)
	clear(in.anchors)
	in.contents, in.combinations, in.anchors, in.keys = in.contents[:0], in.combinations[:0], in.anchors[:0], in.keys[:0]
	if len(waiting.keys) < waiting.many() {
		return nil
	}
	return waiting.store(s)
}

// store stores the keys and anchors in their order: they are hashes, and would
// otherwise be stored all over their tables.
func (in *contentPlaces) store(s *session) error {
	slices.SortFunc(in.keys, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	err := s.feed(insertKeySQL, len(in.keys), func(i, column int) driver.Value { return in.keys[i][column] })
	if err != nil {
		return err
	}
	in.keys, in.stored = in.keys[:0], in.stored+len(in.keys)
	slices.SortFunc(in.anchors, func(a, b incomingAnchor) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.metric, b.metric), cmp.Compare(a.value, b.value))
	})
	err = s.feed(insertAnchorSQL, len(in.anchors), func(i, column int) driver.Value {
		a := &in.anchors[i]
		switch column {
		case 0:
			return a.block
		case 1:
			return a.metric
		case 2:
			return a.value
		case 3:
			return nullable(a.last)
		default:
			return a.content
		}
	})
	clear(in.anchors)
	in.anchors = in.anchors[:0]
	return err
}

// storeContents stores the contents that are not stored yet.
func (f *duplicateFinder) storeContents() error {
	s, err := f.l.own()
	if err != nil {
		return err
	}
	return f.incoming.store(s, &f.waiting)
}

// storeKeys stores the keys and anchors that wait for more.
func (f *duplicateFinder) storeKeys() error {
	s, err := f.l.own()
	if err != nil {
		return err
	}
	return f.waiting.store(s)
}
