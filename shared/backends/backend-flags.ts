import { isTruthy } from '../config/truthy.ts'

/** The name, without its prefix, of an environment variable that changes how a backend is used. */
export type BackendFlag =
  | 'DISABLE_CHECKPOINT_BACKUPS'
  | 'GZIP'
  | 'IGNORE_DEPRECATION_ERROR'
  | 'IGNORE_DEPRECATION_WARNING'
  | 'LEGACY_LAYOUT'
  | 'NO_LEGACY_WARNING'
  | 'RETAIN_CHECKPOINTS'
  | 'ZSTD'

/**
 * The former names of the variables. Source: the calls of `env.Alternative` in
 * sdk/go/common/env/env.go of Pulumi 3.274.1.
 */
const formerNames: Readonly<Partial<Record<BackendFlag, string>>> = {
  DISABLE_CHECKPOINT_BACKUPS: 'PULUMI_DISABLE_CHECKPOINT_BACKUPS',
  GZIP: 'PULUMI_SELF_MANAGED_STATE_GZIP',
  LEGACY_LAYOUT: 'PULUMI_SELF_MANAGED_STATE_LEGACY_LAYOUT',
  NO_LEGACY_WARNING: 'PULUMI_SELF_MANAGED_STATE_NO_LEGACY_WARNING',
  RETAIN_CHECKPOINTS: 'PULUMI_RETAIN_CHECKPOINTS',
  ZSTD: 'PULUMI_SELF_MANAGED_STATE_ZSTD',
}

/** Reports whether `PULUMI_DIY_BACKEND_<flag>` or its former name is true. */
export function hasBackendFlag(
  env: Readonly<Record<string, string | undefined>>,
  flag: BackendFlag,
): boolean {
  return isTruthy(env[`PULUMI_DIY_BACKEND_${flag}`]) || isTruthy(env[formerNames[flag] ?? ''])
}
