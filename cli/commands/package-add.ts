import { join, resolve } from 'node:path'
import { error } from '../../shared/errors/error.ts'
import { isFolderSource } from '../../shared/programs/project/project-plugins.ts'
import type { Handler } from '../arguments/handler.ts'
import { declareInProject } from '../packages/declare-in-project.ts'
import { loadPackageSchema } from '../packages/load-package-schema.ts'
import { makeRelative, requireSdkLanguage } from '../packages/sdk-languages.ts'
import { writeSdk } from '../packages/write-sdk.ts'

/**
 * `package add`: generates the SDK of a package, and makes the program depend on it. Checks the
 * program and the schema before the first change. Throws PROJECT_*, FEATURE_MISSING, CLI_USAGE,
 * PLUGIN_MISSING and PLUGIN_FAILED.
 */
export const addPackage: Handler = async (session, flags, [operand = '', ...args]) => {
  const plugin = isFolderSource(operand) ? resolve(session.cwd, operand) : operand
  const project = session.requireProject()
  const language = requireSdkLanguage(flags.text('language') ?? project.runtime)
  language.check(project)
  const { schema } = await loadPackageSchema(session, { plugin, args })
  const { name, version = '' } = schema
  if (!/^\w[\w.-]*$/.test(name))
    throw error('PLUGIN_FAILED', `the schema of '${plugin}' has an invalid name '${name}'`)
  const sdk = language.generate(schema)
  const out = flags.text('out')
  const folder = out === undefined ? join(project.root, 'sdks', name) : resolve(session.cwd, out)
  writeSdk(folder, sdk)
  const title = `${name} ${version}`.trim()
  session.print(`Generated the SDK of ${title} in ${makeRelative(project, folder)}.`)
  for (const omission of sdk.omissions) session.printToStderr(`The SDK has no ${omission}.`)
  for (const line of language.link(project, schema, folder)) session.print(line)
  if (declareInProject(project, schema, { plugin, args }))
    session.print(`Added '${name}' to the packages of ${makeRelative(project, project.file)}.`)
  session.print('\nNext steps:')
  for (const step of language.nextSteps(schema)) session.print(`  ${step}`)
  return 0
}
