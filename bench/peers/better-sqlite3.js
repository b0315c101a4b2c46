// better-sqlite3: JSON.parse a line at a time, one wide table, two indexes afterwards.
//   better-sqlite3.js INPUT DATABASE
const fs = require('fs'), Database = require('better-sqlite3');
const [input, database] = process.argv.slice(2);
const fields = `id hardware framework model precision spec_method disagg is_multinode prefill_tp prefill_ep prefill_dp_attention prefill_num_workers
  decode_tp decode_ep decode_dp_attention decode_num_workers num_prefill_gpu num_decode_gpu benchmark_type isl osl conc offload_mode image
  recipe_fingerprint date workflow_run_id run_started_at run_url`.split(/\s+/);
const metrics = [];
for (const q of ['ttft', 'tpot', 'itl', 'e2el']) for (const s of ['mean', 'median', 'p90', 'p99', 'std']) metrics.push(s + '_' + q);
metrics.push(...`median_intvty mean_intvty p99_intvty tput_per_gpu output_tput_per_gpu input_tput_per_gpu power_valid power_metric_schema_version
  avg_power_w joules_per_successful_query joules_per_output_token joules_per_total_token joules_per_input_token avg_temp_c peak_temp_c avg_util_pct
  avg_mem_used_mb prefill_avg_power_w decode_avg_power_w`.split(/\s+/));
const known = new Set(metrics);
const db = new Database(database);
for (const p of ['journal_mode=OFF', 'synchronous=OFF', 'locking_mode=EXCLUSIVE', 'page_size=16384', 'cache_size=-8000']) db.pragma(p);
const columns = [...fields.map(c => c + (c === 'id' ? ' INTEGER PRIMARY KEY' : '')), 'workers TEXT', ...metrics.map(m => `"${m}" REAL`), 'extra TEXT'];
db.exec(`CREATE TABLE point (${columns.join(', ')})`);
const insert = db.prepare(`INSERT INTO point VALUES (${columns.map(() => '?').join(', ')})`);
const absent = v => v === undefined ? null : typeof v === 'boolean' ? +v : v;
function store(row) {
  const values = fields.map(c => absent(row[c]));
  values.push(row.workers ? JSON.stringify(row.workers) : null);
  for (const m of metrics) values.push(absent(row.metrics[m]));
  let extra = null;
  for (const m in row.metrics) if (!known.has(m)) (extra ??= {})[m] = row.metrics[m];
  values.push(extra ? JSON.stringify(extra) : null);
  insert.run(values);
}
db.exec('BEGIN');
const file = fs.openSync(input), buffer = Buffer.allocUnsafe(4 << 20);
for (let have = 0, n; (n = fs.readSync(file, buffer, have, buffer.length - have, null)) > 0;) {
  have += n;
  let from = 0;
  for (let end; (end = buffer.indexOf(10, from)) >= 0 && end < have; from = end + 1) {
    const to = buffer[end - 1] === 44 ? end - 1 : end; // a comma follows all but the last
    if (buffer[from] === 123) store(JSON.parse(buffer.utf8Slice(from, to)));
  }
  buffer.copy(buffer, 0, from, have);
  have -= from;
}
db.exec('COMMIT');
db.exec('CREATE INDEX by_model ON point (model, hardware, precision); CREATE INDEX by_recipe ON point (recipe_fingerprint)');
db.close();
