/**
 * aws: the suites that need services of AWS. `npm run test:aws` runs them against emulators; with
 * endpoints and credentials of one's own in the environment they would run against others.
 */
import { describe, expect, test } from 'vitest'
import { isTruthy } from '../../shared/config/truthy.ts'
import {
  type AwsService,
  type AwsSettings,
  readAwsSettings,
} from '../../shared/platform/aws/clients.ts'

/** The services that a suite needs and that nothing in the environment serves. */
function findMissing(services: readonly AwsService[]): readonly AwsService[] {
  return services.filter(service => (process.env[`ANTICHAIN_${service}_ENDPOINT`] ?? '') === '')
}

/**
 * Suites that need services. Where one is not served they are skipped aloud; with CI set that is a
 * failure.
 */
export function whenServed(
  name: string,
  services: readonly AwsService[],
  suites: (settings: () => AwsSettings) => void,
): void {
  const absent = findMissing(services)
  const settings = (): AwsSettings => readAwsSettings(process.env)
  if (absent.length > 0 && isTruthy(process.env['CI'])) {
    test(`${name}: ${absent.join(', ')} must be served`, () => {
      expect(absent).toEqual([])
    })
    return
  }
  if (absent.length > 0)
    process.stderr.write(`SKIPPED: ${name}: nothing serves ${absent.join(', ')}\n`)
  describe.skipIf(absent.length > 0)(name, () => suites(settings))
}
