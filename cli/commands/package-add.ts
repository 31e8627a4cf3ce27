import { isFolderSource } from '../../shared/programs/project/project-plugins.ts'
import { resolve } from 'node:path'
import type { Handler } from '../arguments/handler.ts'
import { addToProject } from '../packages/add-to-project.ts'

/**
 * `package add`: generates the SDK of a package, and makes the program depend on it. Throws
 * PROJECT_*, FEATURE_MISSING, CLI_USAGE, PLUGIN_*, RUNTIME_UNKNOWN and CODE_GENERATION_FAILED.
 */
export const addPackage: Handler = async (session, flags, [operand = '', ...args]) => {
  const plugin = isFolderSource(operand) ? resolve(session.cwd, operand) : operand
  const nextSteps = await addToProject(
    session,
    { plugin, args },
    { language: flags.text('language'), out: flags.text('out') },
  )
  if (nextSteps.length > 0) session.print('\nNext steps:')
  for (const step of nextSteps) session.print(`  ${step}`)
  return 0
}
