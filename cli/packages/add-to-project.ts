import { join, resolve } from 'node:path'
import type { CliSession } from '../session/session.ts'
import { declareInProject } from './declare-in-project.ts'
import { generateSdk } from './generate-sdk.ts'
import { loadPackageSchema, type PackageOperands } from './load-package-schema.ts'
import { makeRelative, requireSdkLanguage } from './sdk-languages.ts'

/**
 * Generates the SDK of a package, and makes the program of the session depend on it. Prints each
 * change. Returns the lines that the user runs or writes next. Without `language`, it is that of
 * the project. Checks the program and the schema before the first change. Throws PROJECT_*,
 * FEATURE_MISSING, CLI_USAGE, PLUGIN_MISSING and PLUGIN_FAILED.
 */
export async function addToProject(
  session: CliSession,
  operands: PackageOperands,
  options: { readonly language?: string | undefined; readonly out?: string | undefined } = {},
): Promise<readonly string[]> {
  const project = session.requireProject()
  const language = requireSdkLanguage(options.language ?? project.runtime)
  language.check(project)
  const { schema } = await loadPackageSchema(session, operands)
  const { name } = schema
  const { out } = options
  const folder = out === undefined ? join(project.root, 'sdks', name) : resolve(session.cwd, out)
  generateSdk(session, language, { schema, folder })
  for (const line of language.link(project, schema, folder)) session.print(line)
  if (declareInProject(project, schema, operands))
    session.print(`Added '${name}' to the packages of ${makeRelative(project, project.file)}.`)
  return language.nextSteps(project, schema, folder)
}
