import { createError } from '../../shared/errors/error.ts'
import {
  InstallDependenciesRequest,
  LanguageRuntimeService,
} from '../../proto/gen/pulumi/language.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import { runToEnd } from '../../shared/programs/executables.ts'
import { startHost } from '../../shared/programs/hosts/language-host.ts'
import type { CliSession } from '../session/session.ts'
import { definedVariablesOf, noEngineAddress } from '../plugins/plugin-command-tools.ts'
import {
  chooseDependencyCommands,
  type DependencyCommand,
  type DependentProgram,
} from './dependency-commands.ts'

/** The error shows at most this many characters, from the end of the package manager's output. */
const outputEndChars = 2_000

/**
 * Installs the dependencies of a program: with the package manager of Node, Python or Go, or with
 * the host of another language. Throws INSTALL_FAILED with the last output of the package manager,
 * PROJECT_INVALID and RUNTIME_UNKNOWN.
 */
export async function installDependenciesOfProgram(
  session: CliSession,
  program: DependentProgram,
): Promise<void> {
  const env = definedVariablesOf(session)
  const processes = createProcesses()
  try {
    const commands = chooseDependencyCommands(program, env['PULUMI_PYTHON_CMD'] || 'python3')
    if (commands === undefined) return await installWithHost(session, program, processes)
    for (const command of commands) await runInstallation(session, command, { processes, env })
  } finally {
    await processes.close()
  }
}

async function runInstallation(
  session: CliSession,
  { command, args, cwd }: DependencyCommand,
  deps: { readonly processes: ProcessesPort; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  const commandLine = [command, ...args].join(' ')
  session.printToStderr(`Running \`${commandLine}\` in ${cwd}`)
  const request = { command, args, cwd, env: deps.env }
  const { code, stdout, stderr } = await runToEnd(deps.processes, request)
  if (code === 0) return
  const output = `${stdout}\n${stderr}`.trim().slice(-outputEndChars)
  const reason = code === null ? 'could not run' : `failed with exit code ${code}`
  throw createError('INSTALL_FAILED', `\`${commandLine}\` ${reason}: ${output}`, {
    hint: 'Correct the error of the package manager, and run `antichain install` again.',
  })
}

/** Lets the host of a language install the dependencies, and prints its output. */
async function installWithHost(
  session: CliSession,
  program: DependentProgram,
  processes: ProcessesPort,
): Promise<void> {
  const deps = {
    processes,
    env: definedVariablesOf(session),
    engineAddress: () => noEngineAddress,
  }
  const { projectFolder, programFolder, runtimeOptions } = program
  const source = { ...program, entryPoint: '.' }
  const host = await startHost(deps, source, session.printToStderr)
  const info = {
    rootDirectory: projectFolder,
    programDirectory: programFolder,
    entryPoint: '.',
    options: runtimeOptions,
  }
  const request = InstallDependenciesRequest.create({ info })
  try {
    const stream = host.stream(LanguageRuntimeService.installDependencies, request)
    for await (const { stdout, stderr } of stream)
      session.printToStderr(`${stdout}${stderr}`.trimEnd())
  } catch (cause) {
    throw createError('INSTALL_FAILED', `the host of '${program.runtime}' failed`, { cause })
  } finally {
    await host.close()
  }
}
