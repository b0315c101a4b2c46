package store

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// inferencexRun is what a load remembers of a run. A load of a million rows
// holds some hundred thousand of them, so it is small.
type inferencexRun struct {
	id        int64
	githubRun int64
	gpus      int64     // the most that a row gives: only some rows state pipeline widths
	columns   columnSet // the metric columns that its points have
	kind      string    // benchmark_type
	runURL    string
	started   string
	last      rowNumber // that gave a value for the whole run
	official  bool      // of runURL
	disagg    bool
	incoming  bool         // not stored yet, see incomingRows
	points    []knownPoint // by concurrency and artifact
}

// rowNumber counts the rows of all captures of a load, 0 stands for none.
type rowNumber int32

// knownPoint is a point of a run and where the current load read it last. The
// points of a run are told apart by concurrency, and raw artifacts by the digest
// of their row, for one configuration may be measured twice. It has no pointers,
// so that the garbage collector need not look at millions of them.
type knownPoint struct {
	id       int64
	holds    int64 // digest of what the point holds, see RowDigest; 0 where unknown
	artifact artifactKey
	conc     int32     // no row states more
	last     rowNumber // that gave the point
	ordinal  int32     // the position stored with the point
	long     bool      // the id stored with the point has the digest, see pointName
}

// artifactKey is the first eight bytes of the digest of a raw artifact, 0 for
// other rows. A point's name has six of them.
type artifactKey uint64

func artifactOf(digest string) artifactKey {
	if digest == "" {
		return 0
	}
	key, err := strconv.ParseUint(digest[:16], 16, 64)
	if err != nil {
		panic("the digest of an artifact is " + digest) // made by the reader
	}
	return artifactKey(key)
}

// point returns the point of a concurrency and artifact, which it adds where it
// is not there. What it returns holds until the next point is added or Flush.
func (r *inferencexRun) point(conc int64, artifact artifactKey) (at *knownPoint, exists bool) {
	i, exists := r.find(conc, artifact)
	if !exists {
		r.points = slices.Insert(r.points, i, knownPoint{conc: int32(conc), artifact: artifact})
	}
	return &r.points[i], exists
}

// forget takes a point away.
func (r *inferencexRun) forget(conc int64, artifact artifactKey) {
	if i, found := r.find(conc, artifact); found {
		r.points = slices.Delete(r.points, i, i+1)
	}
}

func (r *inferencexRun) find(conc int64, artifact artifactKey) (i int, found bool) {
	return slices.BinarySearchFunc(r.points, conc, func(p knownPoint, conc int64) int {
		return cmp.Or(cmp.Compare(int64(p.conc), conc), cmp.Compare(p.artifact, artifact))
	})
}

// columnSet is a set of the metric columns of inferencex_points: bit i stands
// for the column with index i in record.InferenceXColumns.
type columnSet uint64

func (s columnSet) has(column int) bool { return s>>column&1 != 0 }

func columnsOf(row *record.InferenceXRow) (s columnSet) {
	for i, has := range row.Has {
		if has {
			s |= 1 << i
		}
	}
	return s
}

// runFacts is what a run's rows say together.
type runFacts struct {
	day     string // the last of their days, "" for none
	version string // the engine version of their images, "" for none
	several bool   // images state several engine versions
}

// add takes in what a row says; version is that of its image.
func (f *runFacts) add(day, version string) {
	f.day = max(f.day, day)
	switch {
	case version == "":
	case f.version == "":
		f.version = version
	case f.version != version:
		f.several = true
	}
}

// engineVersion is the one version that the images state. Images that disagree leave it open.
func (f *runFacts) engineVersion() string {
	if f.several {
		return ""
	}
	return f.version
}
