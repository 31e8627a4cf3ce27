/** Runs the real command line in this process, with a home folder and a project of its own. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommandLine } from '../../../cli/arguments/run-command-line.ts'
import { createLazyTools } from '../../../cli/session/lazy-tools.ts'

/** The result of one command. */
interface CommandResult {
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** A project folder with a home folder. */
export interface CommandBench {
  readonly root: string
  readonly env: Record<string, string | undefined>
  readonly run: (...args: readonly string[]) => Promise<CommandResult>
}

/** Creates a folder with the project `shop`. */
export function createCommandBench(): CommandBench {
  const root = mkdtempSync(join(tmpdir(), 'antichain-backend-'))
  writeFileSync(join(root, 'Pulumi.yaml'), 'name: shop\nruntime: yaml\n')
  const env: CommandBench['env'] = {
    ...process.env,
    ANTICHAIN_HOME: join(root, 'home'),
    PULUMI_CONFIG_PASSPHRASE: 'pw',
  }
  const run = async (...args: readonly string[]): Promise<CommandResult> => {
    let out = ''
    let err = ''
    const refuse = async (): Promise<never> => {
      throw new Error('no terminal')
    }
    const io = {
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
      env,
      cwd: root,
      isTerminal: false,
      prompt: refuse,
      promptHidden: refuse,
      readInput: refuse,
      onInterrupt: () => () => {},
    }
    const exit = await runCommandLine(args, io, createLazyTools())
    return { exit, out, err }
  }
  return { root, env, run }
}
