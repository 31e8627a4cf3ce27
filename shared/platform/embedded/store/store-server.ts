import { chmodSync, rmSync } from 'node:fs'
import { type Server, type Socket, createServer } from 'node:net'
import { type LineWriter, createLineChannel } from './line-channel.ts'
import { type StoreReply, type StoreRequest, protocolVersion } from './store-message.ts'
import { schemaVersion } from './database-schema.ts'

/** The first line that the owner sends on a connection: its versions and its pid. */
export interface Hello {
  readonly protocol: number
  readonly schema: number
  readonly pid: number
}

/** The function that sends replies and signals to one connection. */
export type SendReplies = (replies: readonly StoreReply[]) => void

/** The function that receives the requests of a connection, and answers them by `sendReplies`. */
export type ReceiveRequests = (requests: readonly StoreRequest[], sendReplies: SendReplies) => void

/** The open socket of the store. */
export interface StoreServer {
  /** Stops listening, which removes the socket, and closes all connections. */
  readonly close: () => Promise<void>
}

/**
 * Listens for connections of other processes. The caller holds the lock, so an existing socket file
 * belongs to a dead process and is removed. Each open connection joins the `signalReceivers`.
 */
export async function serveStore(
  path: string,
  receive: ReceiveRequests,
  signalReceivers: {
    readonly join: (sendReplies: SendReplies) => void
    readonly leave: (sendReplies: SendReplies) => void
  },
): Promise<StoreServer> {
  rmSync(path, { force: true })
  const connections = new Set<Socket>()
  const server = createServer(socket => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    socket.on('error', () => socket.destroy())
    const sendReplies = acceptConnection(socket, receive)
    signalReceivers.join(sendReplies)
    socket.on('close', () => signalReceivers.leave(sendReplies))
  })
  await listenOn(server, path)
  chmodSync(path, 0o600)
  return {
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of connections) socket.end(() => socket.destroy())
      }),
  }
}

function acceptConnection(socket: Socket, receive: ReceiveRequests): SendReplies {
  const write: LineWriter = createLineChannel(socket, value => {
    const requests = parseRequests(value)
    if (requests === undefined) return void socket.destroy()
    receive(requests, sendReplies)
  })
  const sendReplies: SendReplies = replies => {
    if (!socket.destroyed) write(replies)
  }
  const hello: Hello = { protocol: protocolVersion, schema: schemaVersion, pid: process.pid }
  write(hello)
  return sendReplies
}

function parseRequests(value: unknown): readonly StoreRequest[] | undefined {
  if (!Array.isArray(value)) return undefined
  const isRequest = (item: unknown): boolean =>
    typeof item === 'object' && item !== null && 'id' in item && 'method' in item && 'args' in item
  return value.every(isRequest) ? (value as StoreRequest[]) : undefined
}

function listenOn(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
