package export

import "fmt"

// cells is a row of a result, read from left to right. The first value of
// another type than the one asked for is kept as an error, for done; NULL is an
// unset value where the method allows it.
type cells struct {
	values []any
	at     int
	err    error
}

// next is the next value.
func (c *cells) next() any {
	c.at++
	if c.at > len(c.values) {
		c.fail("a value", nil)
		return nil
	}
	return c.values[c.at-1]
}

func (c *cells) fail(want string, got any) {
	if c.err == nil {
		c.err = fmt.Errorf("column %d of %d holds %T, not %s", c.at, len(c.values), got, want)
	}
}

// done is the error of the row; one that was not read to its end is an error.
func (c *cells) done() error {
	if c.err == nil && c.at != len(c.values) {
		return fmt.Errorf("%d of %d columns were read", c.at, len(c.values))
	}
	return c.err
}

// text is a string, "" for NULL.
func (c *cells) text() string {
	switch v := c.next().(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		c.fail("text", v)
		return ""
	}
}

// whole is an integer that is not NULL.
func (c *cells) whole() int64 {
	v := c.next()
	n, ok := v.(int64)
	if !ok {
		c.fail("an integer", v)
	}
	return n
}

// optWhole is an integer, nil for NULL.
func (c *cells) optWhole() *int64 {
	switch v := c.next().(type) {
	case nil:
		return nil
	case int64:
		return &v
	default:
		c.fail("an integer", v)
		return nil
	}
}

// number is a real that is not NULL.
func (c *cells) number() float64 {
	v := c.next()
	x, ok := v.(float64)
	if !ok {
		c.fail("a real", v)
	}
	return x
}

// optNumber is a real, nil for NULL.
func (c *cells) optNumber() *float64 {
	switch v := c.next().(type) {
	case nil:
		return nil
	case float64:
		return &v
	default:
		c.fail("a real", v)
		return nil
	}
}

// flag is a boolean kept as 0 or 1, nil for NULL.
func (c *cells) flag() *bool {
	n := c.optWhole()
	if n == nil {
		return nil
	}
	b := *n != 0
	return &b
}
