package main

import (
	"runtime/debug"
	"testing"
)

// Two builds of one exact version are the same program.
func TestExactVersion(t *testing.T) {
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: modified}}
	}
	for _, test := range []struct {
		name  string
		info  *debug.BuildInfo
		exact bool
	}{
		{"a release", &debug.BuildInfo{Main: debug.Module{Version: "v1.2.0"}}, true},
		{"a commit", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: vcs("false")}, true},
		{"a commit with changes", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: vcs("true")}, false},
		{"a version with changes", &debug.BuildInfo{Main: debug.Module{Version: "v1.2.0+dirty"}}, false},
		{"a build outside of version control", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, false},
		{"a build that knows nothing", nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := versionsOf(test.info).exact(); got != test.exact {
				t.Errorf("exact is %v, want %v", got, test.exact)
			}
		})
	}
}
