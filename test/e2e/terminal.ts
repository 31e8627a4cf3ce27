import { spawn } from 'node:child_process'
import { launcher, type Sandbox, type CommandOptions } from './sandbox.ts'

/** A command on its own terminal. */
export interface TerminalCommand {
  /** The screen output so far. */
  readonly readScreen: () => string
  /** Sends keys to the command, as the bytes that a terminal sends for them. */
  readonly press: (keys: string) => void
  /** The exit code of the command. */
  readonly done: Promise<number>
}

/** The interrupt key. */
export const ctrlC = '\u0003'

/** Starts the command line on a pseudo-terminal, which `script` of util-linux provides. */
export function startOnTerminal(
  sandbox: Sandbox,
  args: readonly string[],
  env?: CommandOptions['env'],
): TerminalCommand {
  // The shell of `script` replaces itself with the command. Otherwise Ctrl-C would end the shell.
  const command = ['exec', ...[launcher, ...args].map(word => `'${word}'`)].join(' ')
  const child = spawn('script', ['-q', '-e', '-f', '-c', command, '/dev/null'], {
    cwd: sandbox.program,
    env: sandbox.createEnvironment({ TERM: 'xterm', ...env }),
  })
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    screen += text
  })
  child.stdin.on('error', () => {})
  return {
    readScreen: () => screen,
    press: keys => void child.stdin.write(keys),
    done: new Promise((done, failed) => {
      child.on('error', failed)
      child.on('close', code => done(code ?? -1))
    }),
  }
}
