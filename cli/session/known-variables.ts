/** A variable of the environment that the command line reads. */
interface KnownVariable {
  readonly name: string
  readonly description: string
  /** Whether its value must not be shown. */
  readonly isSecret?: true
}

/** The variables that the command line reads (docs/operations.md#environment-variables). */
export const knownVariables: readonly KnownVariable[] = [
  { name: 'ANTICHAIN_DELTA_CHECKPOINTS', description: 'Clients may send states as differences' },
  { name: 'ANTICHAIN_HOME', description: 'Folder of all state' },
  { name: 'ANTICHAIN_KEEP_RECORDS_DAYS', description: 'Number of days for which records are kept' },
  { name: 'ANTICHAIN_KEEP_VERSIONS', description: 'Number of published versions that are kept' },
  { name: 'ANTICHAIN_REDUCE_SDK_WORK', description: 'Whether the Python SDK waits in batches' },
  {
    name: 'ANTICHAIN_REMEMBER_FRAMES',
    description: 'Whether programs remember the text of stack frames',
  },
  { name: 'NODE_COMPILE_CACHE', description: 'Folder of compiled code' },
  { name: 'NODE_DISABLE_COMPILE_CACHE', description: 'Compiled code is not kept' },
  { name: 'NO_COLOR', description: 'Output has no colours' },
  { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', description: 'Collector of traces, metrics and logs' },
  { name: 'PULUMI_CONFIG_PASSPHRASE', description: 'Passphrase of secrets', isSecret: true },
  { name: 'PULUMI_CONFIG_PASSPHRASE_FILE', description: 'File with the passphrase' },
  { name: 'PULUMI_CONTINUE_ON_ERROR', description: 'Same as --continue-on-error' },
  { name: 'PULUMI_DISABLE_OUTPUT_VALUES', description: 'Programs get no output values' },
  { name: 'PULUMI_DISABLE_RESOURCE_REFERENCES', description: 'Programs get no references' },
  { name: 'PULUMI_ENABLE_LEGACY_DIFF', description: 'Equal inputs are unchanged' },
  { name: 'PULUMI_ENABLE_LEGACY_REFRESH_DIFF', description: 'A refresh compares outputs only' },
  { name: 'PULUMI_ENABLE_STREAMING_JSON_PREVIEW', description: 'JSON events of previews' },
  { name: 'PULUMI_HOME', description: 'Folder with the plugin cache' },
  { name: 'PULUMI_IGNORE_AMBIENT_PLUGINS', description: 'Ignores plugins on PATH' },
  { name: 'PULUMI_PARALLEL', description: 'Same as --parallel' },
  { name: 'PULUMI_RUN_PROGRAM', description: 'Same as --run-program' },
  { name: 'PULUMI_SKIP_CONFIRMATIONS', description: 'Same as --yes' },
  { name: 'PULUMI_STACK', description: 'Stack of commands without --stack' },
  { name: 'TRACEPARENT', description: 'Trace of the caller' },
  { name: 'TS_NODE_CACHE', description: 'With false, ts-node checks types at each run' },
]
