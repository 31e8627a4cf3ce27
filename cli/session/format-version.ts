import manifest from '../../package.json' with { type: 'json' }
import { emulatedVersion } from '../../shared/config/emulated-version.ts'

/** Returns the version. Under the name `pulumi`, it is the version of Pulumi that is emulated. */
export function formatVersion(env: Readonly<Record<string, string | undefined>>): string {
  return env['ANTICHAIN_CALLED'] === 'pulumi' ? `v${emulatedVersion}` : manifest.version
}
