import { chmodSync, rmSync } from 'node:fs'
import { type Server, type Socket, createServer } from 'node:net'
import { type LineWriter, linesOver } from './lines.ts'
import { type StoreReply, type StoreRequest, protocolVersion } from './message.ts'
import { schemaVersion } from './schema.ts'

/** First line that a connection gets. */
export interface Hello {
  readonly protocol: number
  readonly schema: number
  readonly pid: number
}

/** Where replies and signals of one connection go. */
export type Answer = (replies: readonly StoreReply[]) => void

/** Requests of one connection, and where their answers go. */
export type Receive = (requests: readonly StoreRequest[], answer: Answer) => void

/** The store's socket while it is open. */
export interface StoreServer {
  /** Stops listening, which removes the socket, and ends every connection. */
  readonly close: () => Promise<void>
}

/**
 * Listens for other processes. The caller holds the lock, so a socket there is a dead one's.
 * Whoever connects joins the audience of signals.
 */
export async function serve(
  path: string,
  receive: Receive,
  audience: { readonly join: (one: Answer) => void; readonly leave: (one: Answer) => void },
): Promise<StoreServer> {
  rmSync(path, { force: true })
  const connections = new Set<Socket>()
  const server = createServer(socket => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    socket.on('error', () => socket.destroy())
    const answer = connect(socket, receive)
    audience.join(answer)
    socket.on('close', () => audience.leave(answer))
  })
  await listening(server, path)
  chmodSync(path, 0o600)
  return {
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of connections) socket.end(() => socket.destroy())
      }),
  }
}

function connect(socket: Socket, receive: Receive): Answer {
  const write: LineWriter = linesOver(socket, value => {
    const requests = parseRequests(value)
    if (requests === undefined) return void socket.destroy()
    receive(requests, answer)
  })
  const answer: Answer = replies => {
    if (!socket.destroyed) write(replies)
  }
  const hello: Hello = { protocol: protocolVersion, schema: schemaVersion, pid: process.pid }
  write(hello)
  return answer
}

function parseRequests(value: unknown): readonly StoreRequest[] | undefined {
  if (!Array.isArray(value)) return undefined
  const isRequest = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && 'id' in one && 'method' in one && 'args' in one
  return value.every(isRequest) ? (value as StoreRequest[]) : undefined
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
