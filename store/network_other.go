//go:build !linux

package store

// onNetwork tells whether the folder lies on a file system that other hosts
// may use too. Here it cannot tell.
func onNetwork(string) bool { return false }
