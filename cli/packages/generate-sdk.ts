import { relative } from 'node:path'
import type { PackageSchema } from '../../shared/providers/package-schema/package-schema.ts'
import type { CliSession } from '../session/session.ts'
import type { SdkLanguage } from './sdk-languages.ts'
import { writeSdk } from './write-sdk.ts'

/**
 * Generates the SDK of a package in a folder. Prints the folder, and on standard error the parts of
 * the package that the SDK does not have. Throws FEATURE_MISSING, CLI_USAGE and PLUGIN_FAILED.
 */
export function generateSdk(
  session: CliSession,
  language: SdkLanguage,
  { schema, folder }: { readonly schema: PackageSchema; readonly folder: string },
): void {
  const sdk = language.generate(schema)
  writeSdk(folder, sdk)
  const title = `${schema.name} ${schema.version ?? ''}`.trim()
  const path = relative(session.cwd, folder)
  session.print(`Generated the SDK of ${title} in ${path.startsWith('..') ? folder : path}.`)
  for (const omission of sdk.omissions) session.printToStderr(`The SDK has no ${omission}.`)
}
