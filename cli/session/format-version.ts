import manifest from '../../package.json' with { type: 'json' }
import { emulatedVersion } from '../../shared/config/emulated-version.ts'

/** Returns the version of Antichain, or the emulated version of Pulumi if called as `pulumi`. */
export function formatVersion(env: Readonly<Record<string, string | undefined>>): string {
  return env['ANTICHAIN_CALLED'] === 'pulumi' ? `v${emulatedVersion}` : manifest.version
}
