/**
 * aws: the suites that need AWS services, Vault, or an object store of Google or Azure. `npm run
 * test:aws` runs them against emulators. With other endpoints and credentials in the environment,
 * the suites run against these endpoints.
 */
import { describe, expect, test } from 'vitest'
import { isTruthy } from '../../shared/config/truthy.ts'
import {
  type AwsService,
  type AwsSettings,
  readAwsSettings,
} from '../../shared/platform/aws/clients.ts'

/** A service of AWS, Vault, or an object store of another provider. */
type TestedService = AwsService | 'VAULT' | 'GCS' | 'AZBLOB'

/** Returns the required services without an endpoint in the environment. */
function findMissingServices(services: readonly TestedService[]): readonly TestedService[] {
  return services.filter(service => (process.env[`ANTICHAIN_${service}_ENDPOINT`] ?? '') === '')
}

/**
 * Runs suites that need services. If a service is missing, the suites are skipped with a message;
 * if CI is set, they fail.
 */
export function describeWithServices(
  name: string,
  services: readonly TestedService[],
  suites: (settings: () => AwsSettings) => void,
): void {
  const missingServices = findMissingServices(services)
  const settings = (): AwsSettings => readAwsSettings(process.env)
  if (missingServices.length > 0 && isTruthy(process.env['CI'])) {
    test(`${name}: ${missingServices.join(', ')} must have an endpoint`, () => {
      expect(missingServices).toEqual([])
    })
    return
  }
  if (missingServices.length > 0)
    process.stderr.write(`SKIPPED: ${name}: no endpoint of ${missingServices.join(', ')}\n`)
  describe.skipIf(missingServices.length > 0)(name, () => suites(settings))
}
