import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { stackConfigFileOf } from '../../shared/programs/config/stack-config-file.ts'
import { findProjectFile } from '../../shared/programs/project/find-project-file.ts'
import { resolveHomeFolder } from '../../shared/runtime/environment/home-folder.ts'
import { loginFileOf } from '../remote/login-file.ts'
import type { Io } from '../session/io.ts'
import type { Tools } from '../session/tools.ts'
import { resolveStackName } from './resolve-stack-id.ts'

/** The line of a stack file with the salt of its passphrase. */
const saltPattern = /^encryptionsalt:[ \t]*["']?(v1:[^\s"']+)/m

/**
 * Starts to derive the key of the selected stack from its passphrase. The derivation takes some
 * tenths of a second in another thread. So it starts before the modules of the command are loaded,
 * and reads no more of arguments and files than it needs. It finds no stack file outside the
 * project's folder. The command then derives the key itself, and reports all errors. With a login
 * to an API, the server opens the secrets.
 */
export async function startKeyDerivation(
  args: readonly string[],
  { env, cwd }: Pick<Io, 'env' | 'cwd'>,
  tools: Pick<Tools, 'loadSecrets'>,
): Promise<void> {
  try {
    const home = resolveHomeFolder(env)
    if (existsSync(loginFileOf(home))) return
    const projectFile = findProjectFile(resolve(cwd, findOption(args, ['-C', '--cwd']) ?? '.'))
    const { stack } = resolveStackName({
      stackOption: findOption(args, ['-s', '--stack']),
      env,
      home,
      requireProject: () => ({ file: projectFile }),
    })
    const project = { file: projectFile, stackConfigDir: dirname(projectFile) }
    const text = readFileSync(stackConfigFileOf(project, stack), 'utf8')
    const salt = saltPattern.exec(text)?.[1]
    if (salt === undefined) return
    const { readPassphrase, openWithPassphrase } = await tools.loadSecrets()
    const passphrase = await readPassphrase(env)
    if (passphrase === undefined) return
    openWithPassphrase(salt, passphrase).catch(() => undefined)
  } catch {
    // The command reads the same files.
  }
}

/** Returns the value of the last of some options, as `--stack dev` or `--stack=dev`. */
function findOption(args: readonly string[], names: readonly string[]): string | undefined {
  const index = args.findLastIndex(arg => names.includes(arg.split('=', 1)[0] ?? ''))
  const option = args[index]
  if (option === undefined) return undefined
  return option.includes('=') ? option.slice(option.indexOf('=') + 1) : args[index + 1]
}
