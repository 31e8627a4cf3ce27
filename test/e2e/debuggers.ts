import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Sandbox } from './sandbox.ts'

/** Returns the debugger configurations for editors from an event log, in the order of the log. */
export function readDebuggerConfigs(
  sandbox: Sandbox,
): readonly Readonly<Record<string, unknown>>[] {
  const file = join(sandbox.program, 'events')
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.includes('startDebuggingEvent'))
    .map(line => JSON.parse(line).startDebuggingEvent.config)
}

/** Attaches to a Node process as editors do, and resumes it. */
export async function resumeNode(port: unknown): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${Number(port ?? 9229)}/json/list`)
  const [target] = (await response.json()) as readonly { webSocketDebuggerUrl: string }[]
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
  await new Promise(resolve => socket.addEventListener('open', resolve, { once: true }))
  const sendCommand = (id: number, method: string): void =>
    socket.send(JSON.stringify({ id, method }))
  socket.addEventListener('message', ({ data }) => {
    const { id, method } = JSON.parse(String(data)) as { id?: number; method?: string }
    if (method === 'Debugger.paused') sendCommand(3, 'Debugger.resume')
    if (id === 3) socket.close()
  })
  sendCommand(1, 'Debugger.enable')
  sendCommand(2, 'Runtime.runIfWaitingForDebugger')
}

/** Attaches to a Python process through the Debug Adapter Protocol, and resumes it. */
export function resumePython(port: number): void {
  const socket = connect(port, '127.0.0.1')
  const sendRequest = (seq: number, command: string, args: object): void => {
    const body = JSON.stringify({ seq, type: 'request', command, arguments: args })
    socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  let received = ''
  socket.on('data', bytes => {
    received += bytes.toString('utf8')
    if (!received.includes('"initialized"')) return
    received = ''
    sendRequest(3, 'configurationDone', {})
  })
  socket.on('error', () => undefined)
  sendRequest(1, 'initialize', { adapterID: 'test', clientID: 'test' })
  sendRequest(2, 'attach', { justMyCode: true })
}

/** Attaches to Delve, resumes its process, and detaches when the process has ended. */
export function resumeGo(port: number): void {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.on('data', () => {
    socket.write(JSON.stringify({ method: 'RPCServer.Detach', params: [{ Kill: true }], id: 2 }))
  })
  socket.write(
    JSON.stringify({ method: 'RPCServer.Command', params: [{ name: 'continue' }], id: 1 }),
  )
}
