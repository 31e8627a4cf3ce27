import type { CliSession } from '../session/session.ts'
import type { LoadedSchema } from './load-package-schema.ts'
import { makeRelative, type SdkLanguage } from './sdk-languages.ts'
import { writeSdk } from './write-sdk.ts'

/**
 * Generates the SDK of a package in a folder. `isLocal`: whether it is for local use, and not for
 * publication. Prints the folder, and on standard error the parts of the package that the SDK does
 * not have. Throws FEATURE_MISSING, CLI_USAGE, PLUGIN_FAILED, RUNTIME_UNKNOWN and
 * CODE_GENERATION_FAILED.
 */
export async function generateSdk(
  session: CliSession,
  language: SdkLanguage,
  request: {
    readonly loadedSchema: LoadedSchema
    readonly folder: string
    readonly isLocal: boolean
  },
): Promise<void> {
  const { loadedSchema, folder, isLocal } = request
  const { name, version = '' } = loadedSchema.schema
  const sdk = await language.generate(session, loadedSchema, isLocal)
  writeSdk(folder, sdk)
  const title = `${name} ${version}`.trim()
  session.print(`Generated the SDK of ${title} in ${makeRelative({ root: session.cwd }, folder)}.`)
  for (const omission of sdk.omissions) session.printToStderr(`The SDK has no ${omission}.`)
}
