package store

import "github.com/inference-sim/blis-warehouse/store/record"

// settleArtifact sees to it that a raw artifact is one point wherever it is
// read: where another directory's run has it already, the point belongs to the
// directory whose name sorts first. It returns the point where that is not the row's.
func (l *Load) settleArtifact(name string, row *record.InferenceXRow) (point int64, err error) {
	var run, conc int64
	var stored, directory string
	found, err := l.queryRow(`
		SELECT p.point_id, r.run_id, p.concurrency, r.name, ifnull(i.artifact_run, '')
		FROM inferencex_points x JOIN points p ON p.point_id = x.point_id JOIN runs r ON r.run_id = p.run_id JOIN inferencex_runs i ON i.run_id = r.run_id
		WHERE x.artifact_digest = ?`, []any{row.ArtifactDigest}, &point, &run, &conc, &stored, &directory)
	if err != nil || !found || stored == name {
		return 0, err
	}
	if directory <= row.ArtifactRun {
		return point, nil
	}
	if _, err := l.exec(`DELETE FROM points WHERE point_id = ?`, point); err != nil {
		return 0, err
	}
	l.touched[run] = true
	if state, ok := l.inferencex.runs[stored]; ok {
		state.forget(conc, artifactOf(row.ArtifactDigest))
	}
	l.inferencex.left = append(l.inferencex.left, run)
	return 0, nil
}
