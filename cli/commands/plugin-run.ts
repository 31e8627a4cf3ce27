import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { error } from '../../shared/errors/error.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import type { PluginCommand } from '../../shared/programs/plugins/plugin-project.ts'
import { createInstaller } from '../../shared/providers/install/installer.ts'
import { isExecutable } from '../../shared/providers/plugins/find.ts'
import { obtainPlugin } from '../../shared/providers/plugins/obtain.ts'
import { commandOf } from '../../shared/providers/plugins/command.ts'
import type { Handler } from '../attach.ts'
import { environmentOf, kindOf, withInstalling } from '../plugin-cache.ts'
import type { Session } from '../session.ts'

/** `plugin run`: runs a plugin with arguments, in this terminal; exits as it does. */
export const pluginRun: Handler = async (session, flags, [named = '', ...args]) => {
  const kind = kindOf(flags.text('kind') ?? 'tool')
  const path = await pathOf(session, kind, named)
  const run = await commandFor(session, path, args)
  const child = spawn(run.command, [...run.args], {
    stdio: 'inherit',
    cwd: session.cwd,
    env: run.env,
  })
  return new Promise<number>((done, failed) => {
    child.on('error', cause =>
      failed(error('PLUGIN_FAILED', `${run.command} cannot be run: ${cause.message}`, { cause })),
    )
    child.on('exit', code => done(code ?? 255))
  }).finally(run.forget)
}

async function commandFor(
  session: Session,
  path: string,
  args: readonly string[],
): Promise<PluginCommand> {
  const processes = createProcesses()
  try {
    return await commandOf({ processes, env: environmentOf(session) }, path, args)
  } finally {
    await processes.close()
  }
}

/** A file of this machine, or a plugin by its name, installed where it is missing. */
async function pathOf(session: Session, kind: string, named: string): Promise<string> {
  if (/^\.{0,2}\//.test(named)) {
    const file = resolve(session.cwd, named)
    if (isExecutable(file)) return file
    return `${file}/${basename(dirname(file))}`
  }
  const [name = '', version = ''] = named.split('@')
  const env = environmentOf(session)
  const places = { env, home: env['HOME'] ?? homedir(), path: env['PATH'] ?? '' }
  const found = await withInstalling(session, deps =>
    obtainPlugin(
      { kind, name, version, downloadUrl: '' },
      { ...places, fetch: createInstaller(deps) },
    ),
  )
  if ('missing' in found) throw error('PLUGIN_MISSING', found.missing)
  return found.path
}
