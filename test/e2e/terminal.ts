import { spawn } from 'node:child_process'
import { launcher, type Place, type CommandOptions } from './place.ts'

/** A command on a terminal of its own. */
export interface TerminalCommand {
  /** What the screen got so far. */
  readonly readScreen: () => string
  /** Presses keys, as the terminal sends them. */
  readonly press: (keys: string) => void
  /** The exit code of the command. */
  readonly done: Promise<number>
}

/** The key that interrupts. */
export const ctrlC = '\u0003'

/** Starts the command line on a pseudo-terminal, which `script` of util-linux makes. */
export function startOnTerminal(
  place: Place,
  args: readonly string[],
  env?: CommandOptions['env'],
): TerminalCommand {
  // The shell of `script` gives its place away: one that stayed would die of Ctrl-C itself.
  const command = ['exec', ...[launcher, ...args].map(word => `'${word}'`)].join(' ')
  const child = spawn('script', ['-q', '-e', '-f', '-c', command, '/dev/null'], {
    cwd: place.program,
    env: place.createEnvironment({ TERM: 'xterm', ...env }),
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
