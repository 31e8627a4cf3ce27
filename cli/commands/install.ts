import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import { readPolicyProject } from '../../shared/programs/project/policy-project.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { listDeclaredPackages } from '../packages/declared-packages.ts'
import { installDependenciesOfProgram } from '../project/install-dependencies-of-program.ts'
import { type CliSession, findProjectName } from '../session/session.ts'
import { addPackage } from './package-add.ts'
import { installPlugins } from './plugin-install.ts'

/**
 * `install`: generates missing SDKs of the packages in the project file, installs the dependencies
 * of the program, and then the plugins that it requires. In a folder of a policy pack, it installs
 * the dependencies of the pack. Throws PROJECT_*, INSTALL_FAILED, and the errors of `package add`
 * and `plugin install`.
 */
export const installProject: Handler = async (session, flags) => {
  if (isPolicyPackFolder(session)) {
    const folder = session.cwd
    const { runtime, runtimeOptions } = readPolicyProject(folder)
    const program = { runtime, runtimeOptions, projectFolder: folder, programFolder: folder }
    await installDependenciesOfProgram(session, program)
    return 0
  }
  const project = session.requireProject()
  await addMissingSdks(session, flags)
  const { root: projectFolder, runtime, runtimeOptions } = project
  const { programFolder } = locateProgram(project)
  if (flags.isSet('dependencies'))
    await installDependenciesOfProgram(session, {
      runtime,
      runtimeOptions,
      projectFolder,
      programFolder,
    })
  if (flags.isSet('plugins')) await installPlugins(session, flags, [])
  return 0
}

/** Reports whether the folder has a policy pack and no project file. */
function isPolicyPackFolder(session: CliSession): boolean {
  if (!existsSync(join(session.cwd, 'PulumiPolicy.yaml'))) return false
  if (findProjectName(session) === undefined) return true
  // The project may be in a parent folder. Then this folder has only the pack.
  return dirname(session.requireProject().file) !== session.cwd
}

async function addMissingSdks(session: CliSession, flags: Flags): Promise<void> {
  const project = session.requireProject()
  for (const { name, plugin, args } of listDeclaredPackages(project))
    if (!existsSync(join(project.root, 'sdks', name)))
      await addPackage(session, flags, [plugin, ...args])
}
