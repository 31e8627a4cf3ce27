import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Reads `add <group>` and `drop <group>` until its input ends, which it does when the engine dies,
 * however it dies; then it kills every group still listed. Signals of a terminal do not concern it.
 */
const script = `
trap '' INT TERM HUP QUIT
groups=
while read -r verb group; do
  case $verb in
    add) groups="$groups $group" ;;
    drop)
      rest=
      for one in $groups; do [ "$one" = "$group" ] || rest="$rest $one"; done
      groups=$rest ;;
  esac
done
for one in $groups; do kill -s KILL -- "-$one" 2>/dev/null; done
exit 0
`

/** Ends process groups when this process is gone. */
export interface Supervisor {
  readonly add: (group: number) => void
  readonly remove: (group: number) => void
  /** Lets it end; resolves when it has. */
  readonly close: () => Promise<void>
}

/** Starts a supervisor in a session of its own; one that is killed is replaced. */
export function startSupervisor(): Supervisor {
  const groups = new Set<number>()
  let isClosing = false
  let shell = start()

  function start(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', script], {
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
      const isOver = shell.exitCode !== null || shell.signalCode !== null
      const over = isOver
        ? Promise.resolve()
        : new Promise<void>(resolve => shell.once('exit', () => resolve()))
      shell.ref()
      shell.stdin?.end()
      await over
    },
  }
}

/** A pipe to a child is a socket underneath, which would keep this process running. */
function unrefStream(stream: unknown): void {
  if (typeof stream !== 'object' || stream === null || !('unref' in stream)) return
  if (typeof stream.unref === 'function') stream.unref()
}
