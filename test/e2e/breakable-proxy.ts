import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A proxy on loopback whose connections a test can break. */
export interface BreakableProxy {
  readonly url: string
  /** Ends all connections, and refuses new ones until `restore`. */
  readonly breakConnections: () => void
  readonly restore: () => void
  readonly close: () => void
}

/** Starts a proxy in front of a server on loopback. */
export async function startBreakableProxy(serverUrl: string): Promise<BreakableProxy> {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let isBroken = false
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const proxy = createServer(client => {
    track(client)
    if (isBroken) return void client.destroy()
    const server = track(connect(Number(port), hostname))
    client.pipe(server).pipe(client)
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    breakConnections() {
      isBroken = true
      endAll()
    },
    restore() {
      isBroken = false
    },
    close() {
      proxy.close()
      endAll()
    },
  }
}
