import { join, resolve } from 'node:path'
import type { CliSession } from '../session/session.ts'
import { declareInProject } from './declare-in-project.ts'
import { generateSdk } from './generate-sdk.ts'
import { loadPackageSchema, type PackageOperands } from './load-package-schema.ts'
import { makeRelative, findSdkLanguage } from './sdk-languages.ts'

/**
 * Generates the SDK of a package, and makes the program of the session depend on it. Prints each
 * change. Returns the lines that the user runs or writes next. `language` is by default that of
 * the project. Checks the program and the schema before the first change. If the host of a language
 * generates the SDK, the host checks the program after the SDK is written. Throws PROJECT_*,
 * FEATURE_MISSING, CLI_USAGE, PLUGIN_*, RUNTIME_UNKNOWN and CODE_GENERATION_FAILED.
 */
export async function addToProject(
  session: CliSession,
  operands: PackageOperands,
  options: { readonly language?: string | undefined; readonly out?: string | undefined } = {},
): Promise<readonly string[]> {
  const project = session.requireProject()
  const language = findSdkLanguage(options.language ?? project.runtime)
  language.check(project)
  const loadedSchema = await loadPackageSchema(session, operands)
  const { schema } = loadedSchema
  const { out } = options
  const sdks = join(project.root, 'sdks')
  const folder = out === undefined ? join(sdks, schema.name) : resolve(session.cwd, out)
  await generateSdk(session, language, { loadedSchema, folder, isLocal: true })
  const link = await language.link(session, project, { schema, folder })
  for (const line of link.changes) session.print(line)
  if (declareInProject(project, schema, operands))
    session.print(
      `Added '${schema.name}' to the packages of ${makeRelative(project, project.file)}.`,
    )
  return link.nextSteps
}
