import { ProviderError } from '../provider-error.ts'
import type { TerraformProcess } from '../terraform/client/connect-provider.ts'
import { loadTerraformPackage } from '../terraform/driver/load-package.ts'
import type { TerraformPackage } from '../terraform/driver/terraform-package.ts'
import {
  createTerraformProvider,
  type ProviderBinary,
} from '../terraform/driver/terraform-provider.ts'
import { createCallRecorder, type CoreCheckSubject } from './core-checks/recorded-calls.ts'
import type { ProviderOpener } from './opened-provider.ts'
import { readTerraformSchema } from './read-terraform-schema.ts'

/** Dependencies of the start of a Terraform provider. */
export interface TerraformOpenerDeps {
  readonly binary: ProviderBinary
  readonly start: (binary: ProviderBinary) => Promise<TerraformProcess>
  /** Reports a message of the provider. */
  readonly report: (text: string) => void
}

/**
 * Creates the opener of a Terraform provider. The recorded calls of all its processes are kept. It
 * throws PLUGIN_FAILED, PLUGIN_HANDSHAKE and ProviderError.
 */
export function createTerraformOpener({
  binary,
  start,
  report,
}: TerraformOpenerDeps): ProviderOpener {
  const recorder = createCallRecorder()
  const name = binary.providerName
  const identity = { ...binary, name }
  let pkg: TerraformPackage | undefined
  return async () => {
    const process = await start(binary)
    const provider = createTerraformProvider({
      name,
      findBinary: () => Promise.resolve(binary),
      start: () => Promise.resolve({ ...process, client: recorder.wrapClient(process.client) }),
      isEnding: () => false,
      warn: report,
      inform: report,
    })
    const parameter = JSON.stringify({ local: { path: binary.path } })
    await provider.parameterize({
      name,
      version: binary.version,
      value: Buffer.from(parameter).toString('base64'),
    })
    return {
      description: `Terraform protocol ${process.client.protocol}`,
      provider,
      async readSchema() {
        const loaded = await loadTerraformPackage(process.client, identity, {
          includes: [],
          excludes: [],
        })
        pkg ??= loaded
        return readTerraformSchema(loaded)
      },
      stop: () => process.client.stopProvider(),
      getCoreCheckSubject: token => pkg && findSubject(pkg, token, recorder.getCalls),
      close: provider.close,
    }
  }
}

function findSubject(
  pkg: TerraformPackage,
  token: string,
  getCalls: (typeName: string) => CoreCheckSubject['calls'],
): CoreCheckSubject | undefined {
  try {
    const resource = pkg.findResource(token)
    return { resource, calls: getCalls(resource.typeName) }
  } catch (thrown) {
    if (thrown instanceof ProviderError) return undefined
    throw thrown
  }
}
