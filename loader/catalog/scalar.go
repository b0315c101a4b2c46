package catalog

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// A check of a single value returns the rule it breaks and what is allowed, or
// "". A check of a text may also normalise it.
type (
	textCheck   func(s string) (normal, rule, allowed string)
	wholeCheck  func(x int64) (rule, allowed string)
	numberCheck func(x float64) (rule, allowed string)
)

// text reads a scalar as its source text; an empty one is absent.
func (r *reader) text(s spot, n *yaml.Node, checks []textCheck) (string, state) {
	if n.Kind == yaml.ScalarNode && n.Value == "" {
		return "", absent
	}
	v, ok := r.string(s, n, checks)
	if !ok {
		return "", refused
	}
	return v, stated
}

// string reads a scalar as its source text.
func (r *reader) string(s spot, n *yaml.Node, checks []textCheck) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		r.problems.refuse(s, RuleType, "%s; a string is expected", describe(n))
		return "", false
	}
	v := n.Value
	if strings.IndexByte(v, 0) >= 0 {
		r.problems.refuse(s, RuleEncoding, "the string holds an escaped NUL, which no tool that reads it later can show")
		return "", false
	}
	for _, check := range checks {
		normal, rule, allowed := check(v)
		if rule != "" {
			r.problems.refuse(s, rule, "%s is not allowed: %s", shown(v), allowed)
			return "", false
		}
		v = normal
	}
	return v, true
}

// isBare reports that a node is a scalar without quotes on the line of its
// key: what numbers and booleans must be.
func isBare(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// isPlainNumber reports that s is a number as JSON writes it.
func isPlainNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	n := digits(s)
	if n == 0 || n > 1 && s[0] == '0' {
		return false
	}
	s = s[n:]
	if strings.HasPrefix(s, ".") {
		if n = digits(s[1:]); n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s != "" && s[0]|0x20 == 'e' {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if n = digits(s); n == 0 {
			return false
		}
		s = s[n:]
	}
	return s == ""
}

// digits counts the digits that s starts with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// likeNumber is what YAML or a reader may take for a number, in a form that is
// not allowed.
var likeNumber = regexp.MustCompile(`^[-+]?(0[xob])?[0-9a-fA-F_.]*[0-9][0-9a-fA-F_.]*([eE][-+]?[0-9]+)?$`)

// notFinite is a YAML infinity or NaN.
var notFinite = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)

// whole reads an integer of 64 bits, written plainly.
func (r *reader) whole(s spot, n *yaml.Node, checks []wholeCheck) (int64, state) {
	const want = "an integer is expected"
	if !r.numeric(s, n, want) {
		return 0, refused
	}
	if strings.ContainsAny(n.Value, ".eE") {
		r.problems.refuse(s, RuleNumber, "%s has a fraction or an exponent; %s, written plainly", shown(n.Value), want)
		return 0, refused
	}
	x, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil {
		r.problems.refuse(s, RuleNumber, "%s does not fit 64 bits", shown(n.Value))
		return 0, refused
	}
	for _, check := range checks {
		if rule, allowed := check(x); rule != "" {
			r.problems.refuse(s, rule, "%d is not allowed: %s", x, allowed)
			return 0, refused
		}
	}
	return x, stated
}

// number reads a finite number, written plainly.
func (r *reader) number(s spot, n *yaml.Node, checks []numberCheck) (float64, state) {
	if !r.numeric(s, n, "a number is expected") {
		return 0, refused
	}
	x, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || math.IsInf(x, 0) {
		r.problems.refuse(s, RuleNumber, "%s is beyond what a double can hold", shown(n.Value))
		return 0, refused
	}
	if x == 0 {
		x = 0 // -0 is 0
	}
	for _, check := range checks {
		if rule, allowed := check(x); rule != "" {
			r.problems.refuse(s, rule, "%s is not allowed: %s", shown(n.Value), allowed)
			return 0, refused
		}
	}
	return x, stated
}

// numeric refuses a node that is no plainly written number.
func (r *reader) numeric(s spot, n *yaml.Node, want string) bool {
	switch {
	case n.Kind != yaml.ScalarNode || !isBare(n):
		r.problems.refuse(s, RuleType, "%s; %s, without quotes", describe(n), want)
	case isPlainNumber(n.Value):
		return true
	case notFinite.MatchString(n.Value):
		r.problems.refuse(s, RuleNotFinite, "%s is not finite; %s", n.Value, want)
	case likeNumber.MatchString(n.Value):
		r.problems.refuse(s, RuleNumber, "%s is not written plainly; write the number as in JSON: no leading 0 or +, no 0x, 0o or _, digits on both sides of a point", shown(n.Value))
	default:
		r.problems.refuse(s, RuleType, "%s is no number; %s", shown(n.Value), want)
	}
	return false
}

// booleans are the words of YAML 1.1 in the cases it allows, without y and n.
var booleans = map[string]bool{
	"true": true, "True": true, "TRUE": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
	"false": false, "False": false, "FALSE": false, "no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false,
}

func (r *reader) boolean(s spot, n *yaml.Node) (bool, state) {
	if !isBare(n) {
		r.problems.refuse(s, RuleType, "%s; true or false is expected, without quotes", describe(n))
		return false, refused
	}
	x, ok := booleans[n.Value]
	if !ok {
		r.problems.refuse(s, RuleType, "%s is no boolean: true or false (yes, no, on and off count too)", shown(n.Value))
		return false, refused
	}
	return x, stated
}

// atLeast accepts integers from low on.
func atLeast(low int64) wholeCheck {
	return func(x int64) (string, string) {
		if x < low {
			return RuleRange, "at least " + strconv.FormatInt(low, 10)
		}
		return "", ""
	}
}

func notNegative(x float64) (string, string) {
	if x < 0 {
		return RuleRange, "0 or more"
	}
	return "", ""
}

func positive(x float64) (string, string) {
	if x <= 0 {
		return RuleRange, "more than 0"
	}
	return "", ""
}

func fraction(x float64) (string, string) {
	if x < 0 || x > 1 {
		return RuleRange, "from 0 to 1"
	}
	return "", ""
}
