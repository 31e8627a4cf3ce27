/**
 * aws: the suites that need AWS services. `npm run test:aws` runs them against emulators. With
 * other endpoints and credentials in the environment, they run against those.
 */
import { describe, expect, test } from 'vitest'
import { isTruthy } from '../../shared/config/truthy.ts'
import {
  type AwsService,
  type AwsSettings,
  readAwsSettings,
} from '../../shared/platform/aws/clients.ts'

/** Returns the required services without an endpoint in the environment. */
function findMissing(services: readonly AwsService[]): readonly AwsService[] {
  return services.filter(service => (process.env[`ANTICHAIN_${service}_ENDPOINT`] ?? '') === '')
}

/**
 * Runs suites that need services. Suites with a missing service are skipped with a message; with CI
 * set that is a failure.
 */
export function whenServed(
  name: string,
  services: readonly AwsService[],
  suites: (settings: () => AwsSettings) => void,
): void {
  const absent = findMissing(services)
  const settings = (): AwsSettings => readAwsSettings(process.env)
  if (absent.length > 0 && isTruthy(process.env['CI'])) {
    test(`${name}: ${absent.join(', ')} must have an endpoint`, () => {
      expect(absent).toEqual([])
    })
    return
  }
  if (absent.length > 0)
    process.stderr.write(`SKIPPED: ${name}: no endpoint of ${absent.join(', ')}\n`)
  describe.skipIf(absent.length > 0)(name, () => suites(settings))
}
