import { type ChildProcess, spawn } from 'node:child_process'

/**
 * A shell script that reads the lines `add <group>` and `drop <group>` until its input ends. Its
 * input is a pipe from the engine, which ends when the engine closes the pipe or dies. The script
 * then kills every listed process group. It ignores the signals of a terminal.
 */
const supervisorScript = `
trap '' INT TERM HUP QUIT
groups=
while read -r command group; do
  case $command in
    add) groups="$groups $group" ;;
    drop)
      remaining=
      for listed in $groups; do [ "$listed" = "$group" ] || remaining="$remaining $listed"; done
      groups=$remaining ;;
  esac
done
for listed in $groups; do kill -s KILL -- "-$listed" 2>/dev/null; done
exit 0
`

/** The shell process that kills the added process groups after the end of this process. */
export interface Supervisor {
  readonly add: (group: number) => void
  readonly remove: (group: number) => void
  /** Ends the supervisor, which first kills the remaining groups. Resolves after its end. */
  readonly close: () => Promise<void>
}

/**
 * Starts a supervisor in a new session, with `shellPath`. If the supervisor ends early, another one
 * is started.
 */
export function startSupervisor(shellPath = '/bin/sh'): Supervisor {
  const groups = new Set<number>()
  let isClosing = false
  let shell = start()

  function start(): ChildProcess {
    const child = spawn(shellPath, ['-c', supervisorScript], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.on('error', () => {})
    child.stdin?.on('error', () => {})
    child.on('exit', () => {
      if (!isClosing) shell = start()
    })
    child.unref()
    unrefStream(child.stdin)
    for (const group of groups) child.stdin?.write(`add ${group}\n`)
    return child
  }

  return {
    add(group) {
      groups.add(group)
      shell.stdin?.write(`add ${group}\n`)
    },
    remove(group) {
      groups.delete(group)
      shell.stdin?.write(`drop ${group}\n`)
    },
    async close() {
      isClosing = true
      const hasStarted = shell.pid !== undefined
      const hasEnded = !hasStarted || shell.exitCode !== null || shell.signalCode !== null
      const shellExit = hasEnded
        ? Promise.resolve()
        : new Promise<void>(resolve => shell.once('exit', () => resolve()))
      shell.ref()
      shell.stdin?.end()
      await shellExit
    },
  }
}

/**
 * Unreferences the pipe to a child. In Node the pipe is a socket, which keeps a process running.
 */
function unrefStream(stream: unknown): void {
  if (typeof stream !== 'object' || stream === null || !('unref' in stream)) return
  if (typeof stream.unref === 'function') stream.unref()
}
