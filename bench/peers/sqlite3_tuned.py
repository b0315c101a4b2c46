"""Python's sqlite3: json.load, executemany, one wide table, two indexes afterwards.

    sqlite3_tuned.py INPUT DATABASE
"""
import json
import sqlite3
import sys

FIELDS = """id hardware framework model precision spec_method disagg is_multinode prefill_tp prefill_ep prefill_dp_attention prefill_num_workers
    decode_tp decode_ep decode_dp_attention decode_num_workers num_prefill_gpu num_decode_gpu benchmark_type isl osl conc offload_mode image
    recipe_fingerprint date workflow_run_id run_started_at run_url""".split()
METRICS = [s + "_" + q for q in ("ttft", "tpot", "itl", "e2el") for s in ("mean", "median", "p90", "p99", "std")]
METRICS += """median_intvty mean_intvty p99_intvty tput_per_gpu output_tput_per_gpu input_tput_per_gpu power_valid power_metric_schema_version
    avg_power_w joules_per_successful_query joules_per_output_token joules_per_total_token joules_per_input_token avg_temp_c peak_temp_c avg_util_pct
    avg_mem_used_mb prefill_avg_power_w decode_avg_power_w""".split()
KNOWN = set(METRICS)


def values(row):
    workers, metrics = row.get("workers"), row["metrics"]
    extra = {k: v for k, v in metrics.items() if k not in KNOWN}
    return (
        [row.get(c) for c in FIELDS]
        + [json.dumps(workers) if workers else None]
        + [metrics.get(m) for m in METRICS]
        + [json.dumps(extra) if extra else None]
    )


source, database = sys.argv[1:]
db = sqlite3.connect(database, isolation_level=None)
for pragma in ("journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE", "page_size=16384", "cache_size=-8000"):
    db.execute("PRAGMA " + pragma)
columns = [c + (" INTEGER PRIMARY KEY" if c == "id" else "") for c in FIELDS] + ["workers TEXT"] + ['"%s" REAL' % m for m in METRICS] + ["extra TEXT"]
db.execute("CREATE TABLE point (%s)" % ", ".join(columns))
with open(source) as f:
    rows = json.load(f)
db.execute("BEGIN")
db.executemany("INSERT INTO point VALUES (%s)" % ", ".join("?" * len(columns)), map(values, rows))
db.execute("COMMIT")
db.execute("CREATE INDEX by_model ON point (model, hardware, precision)")
db.execute("CREATE INDEX by_recipe ON point (recipe_fingerprint)")
db.close()
