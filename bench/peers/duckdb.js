// DuckDB: read_json with explicit types into a table.
//   duckdb.js array|newline_delimited INPUT DATABASE, or: duckdb.js sums - DATABASE
const {DuckDBInstance} = require('@duckdb/node-api');
const integers = `id prefill_tp prefill_ep prefill_num_workers decode_tp decode_ep decode_num_workers num_prefill_gpu num_decode_gpu isl osl conc
  workflow_run_id`.split(/\s+/);
const texts = `hardware framework model precision spec_method benchmark_type offload_mode image recipe_fingerprint date run_started_at
  run_url`.split(/\s+/);
const booleans = 'disagg is_multinode prefill_dp_attention decode_dp_attention'.split(' ');
const metrics = [];
for (const q of ['ttft', 'tpot', 'itl', 'e2el']) for (const s of ['mean', 'median', 'p90', 'p99', 'p99.9', 'std']) metrics.push(s + '_' + q);
metrics.push(...`median_intvty mean_intvty p99_intvty tput_per_gpu output_tput_per_gpu input_tput_per_gpu power_valid power_metric_schema_version
  avg_power_w joules_per_successful_query joules_per_output_token joules_per_total_token joules_per_input_token avg_temp_c peak_temp_c avg_util_pct
  avg_mem_used_mb prefill_avg_power_w decode_avg_power_w`.split(/\s+/));

(async () => {
  const [format, input, database] = process.argv.slice(2);
  const instance = await DuckDBInstance.create(database);
  const db = await instance.connect();
  if (format === 'sums') {
    const r = await db.runAndReadAll('SELECT count(*), sum(tput_per_gpu), count(workers), count(avg_power_w) FROM point');
    console.log(r.getRows()[0].map(String).join(' '));
  } else {
    await db.run('SET preserve_insertion_order = false');
    const columns = [
      ...integers.map(c => `${c}: 'BIGINT'`), ...texts.map(c => `${c}: 'VARCHAR'`), ...booleans.map(c => `${c}: 'BOOLEAN'`), "workers: 'JSON'",
      `metrics: 'STRUCT(${metrics.map(m => `"${m}" DOUBLE`).join(', ')})'`].join(', ');
    await db.run(`CREATE TABLE point AS SELECT * EXCLUDE (metrics), unnest(metrics) FROM read_json('${input}', format = '${format}', columns = {${columns}})`);
  }
  db.closeSync();
  instance.closeSync();
})();
