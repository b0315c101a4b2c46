package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// ApplyRegistry puts a licence registry into effect. Its entries replace those
// of the same id; entries that an earlier version of the same file had and
// this one lacks disappear, or stay marked withdrawn while runs cite them,
// unless another registry states them too.
// path is the registry's identity, an absolute path.
func (l *Load) ApplyRegistry(path, digest string, content []byte, registry *record.Registry) (Status, error) {
	status, err := l.applyRegistry(path, digest, content, registry)
	if err != nil {
		return "", fmt.Errorf("store registry %s: %w", path, err)
	}
	return status, nil
}

func (l *Load) applyRegistry(path, digest string, content []byte, registry *record.Registry) (Status, error) {
	if err := l.saveContent(digest, content); err != nil {
		return "", err
	}
	status := Added
	var old string
	found, err := l.queryRow(`SELECT sha256 FROM registries WHERE path = ?`, []any{path}, &old)
	if err != nil {
		return "", err
	}
	if found {
		status = Updated
		if old == digest {
			status = Unchanged
		}
	}
	if _, err := l.exec(`INSERT INTO registries (path, sha256) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET sha256 = excluded.sha256`, path, digest); err != nil {
		return "", err
	}
	if _, err := l.exec(`INSERT INTO registry_versions (path, sha256) VALUES (?, ?) ON CONFLICT DO NOTHING`, path, digest); err != nil {
		return "", err
	}
	var registryID int64
	if _, err := l.queryRow(`SELECT registry_id FROM registries WHERE path = ?`, []any{path}, &registryID); err != nil {
		return "", err
	}
	if _, err := l.exec(`DELETE FROM licence_claims WHERE registry_id = ?`, registryID); err != nil {
		return "", err
	}
	// Until the new entries say otherwise, all that this registry stated is withdrawn.
	if _, err := l.exec(`UPDATE licences SET withdrawn = 1 WHERE registry_id = ?`, registryID); err != nil {
		return "", err
	}
	for i := range registry.Sources {
		if err := l.saveLicence(registryID, &registry.Sources[i]); err != nil {
			return "", err
		}
	}
	return status, l.restoreClaims(registryID)
}

// restoreClaims brings entries that a registry dropped back into effect as
// another registry states them, the first by path where several do.
func (l *Load) restoreClaims(registryID int64) error {
	type claim struct {
		registry int64
		entry    string
	}
	var claims []claim
	err := l.query(`
		SELECT c.registry_id, c.entry
		FROM licences l
		JOIN licence_claims c ON c.licence_id = l.licence_id
		JOIN registries g ON g.registry_id = c.registry_id
		WHERE l.registry_id = ?1 AND l.withdrawn = 1
			AND g.path = (SELECT min(h.path) FROM licence_claims d JOIN registries h ON h.registry_id = d.registry_id WHERE d.licence_id = l.licence_id)`,
		[]any{registryID}, func(scan func(...any) error) error {
			var c claim
			if err := scan(&c.registry, &c.entry); err != nil {
				return err
			}
			claims = append(claims, c)
			return nil
		})
	if err != nil {
		return err
	}
	for _, c := range claims {
		var e record.Licence
		if err := json.Unmarshal([]byte(c.entry), &e); err != nil {
			return fmt.Errorf("claim of another registry: %w", err)
		}
		if err := l.saveLicence(c.registry, &e); err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) saveLicence(registryID int64, e *record.Licence) error {
	_, err := l.exec(`
		INSERT INTO licences (licence_id, title, spdx, status, attribution, note, withdrawn, registry_id)
		VALUES (?, ?, ?, ?, ?, ?, 0, ?)
		ON CONFLICT (licence_id) DO UPDATE SET
			title = excluded.title, spdx = excluded.spdx, status = excluded.status, attribution = excluded.attribution,
			note = excluded.note, withdrawn = 0, registry_id = excluded.registry_id`,
		e.ID, e.Title, text(e.License), e.Status, text(e.Attribution), text(e.Note), number(registryID))
	if err != nil {
		return err
	}
	if _, err := l.exec(`DELETE FROM licence_permits WHERE licence_id = ?`, e.ID); err != nil {
		return err
	}
	for _, use := range e.Permits {
		if _, err := l.exec(`INSERT INTO licence_permits (licence_id, use) VALUES (?, ?)`, e.ID, use); err != nil {
			return err
		}
	}
	if _, err := l.exec(`DELETE FROM licence_evidence WHERE licence_id = ?`, e.ID); err != nil {
		return err
	}
	for i, v := range e.Evidence {
		_, err := l.exec(`INSERT INTO licence_evidence (licence_id, position, url, quote, location) VALUES (?, ?, ?, ?, ?)`,
			e.ID, i, v.URL, v.Quote, v.Location)
		if err != nil {
			return err
		}
	}
	if registryID == 0 {
		return nil
	}
	canonical, err := json.Marshal(e)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(canonical)
	_, err = l.exec(`INSERT INTO licence_claims (licence_id, registry_id, sha256, entry) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		e.ID, registryID, hex.EncodeToString(sum[:]), string(canonical))
	return err
}

// EnsureLicence adds an entry that no registry states, or none any more. It
// leaves an entry that is in effect as it is.
func (l *Load) EnsureLicence(e *record.Licence) error {
	var one int
	found, err := l.queryRow(`SELECT 1 FROM licences WHERE licence_id = ? AND withdrawn = 0`, []any{e.ID}, &one)
	if err == nil && !found {
		err = l.saveLicence(0, e)
	}
	if err != nil {
		return fmt.Errorf("store licence %s: %w", e.ID, err)
	}
	return nil
}

// Licence is what is known of a licence now.
type Licence struct {
	Known     bool // a loaded registry has it
	Withdrawn bool // its registry no longer has it
	Status    string
	Permits   []string // in effect, sorted
}

// Licence returns what the registries in effect say of a licence.
func (l *Load) Licence(id string) (Licence, error) {
	var lic Licence
	known, err := l.queryRow(`SELECT status, withdrawn FROM licences WHERE licence_id = ?`, []any{id}, &lic.Status, &lic.Withdrawn)
	if err != nil || !known {
		return lic, err
	}
	lic.Known = true
	err = l.query(`SELECT use FROM effective_permits WHERE licence_id = ? ORDER BY use`, []any{id}, func(scan func(...any) error) error {
		var use string
		if err := scan(&use); err != nil {
			return err
		}
		lic.Permits = append(lic.Permits, use)
		return nil
	})
	return lic, err
}

// dropWithdrawn removes withdrawn entries that no run cites.
func (l *Load) dropWithdrawn() error {
	_, err := l.exec(`DELETE FROM licences WHERE withdrawn = 1 AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.licence_id = licences.licence_id)`)
	return err
}
