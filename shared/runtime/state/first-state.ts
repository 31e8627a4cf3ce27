import type { EpochMs } from '../../records/ids.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import { manifestOf } from '../../state/snapshot-codec.ts'
import { timestampOf } from '../../state/timestamp.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { pulumiFormatVersion } from '../compaction/fold-and-publish.ts'

/**
 * Creates the first state of a stack, which names its secrets manager and has no resources. Source:
 * `CreateStack` in pkg/cmd/pulumi/stack/io.go of Pulumi 3.274.1.
 */
export function createFirstState(
  { type, state }: Pick<SecretsManager, 'type' | 'state'>,
  at: EpochMs,
): StoredDeployment {
  return {
    manifest: manifestOf(pulumiFormatVersion, timestampOf(at)),
    secrets_providers: { type, state },
    metadata: {},
  }
}
