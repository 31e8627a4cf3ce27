/** Opened clients by key. `get` opens a client once, and again after its opening has failed. */
export interface ClientCache<Key, Client> {
  readonly get: (key: Key) => Promise<Client>
  /** Removes a client, so that the next `get` opens another one. */
  readonly forget: (key: Key) => void
}

/** Creates a cache of clients that `open` opens. */
export function createClientCache<Key, Client>(
  open: (key: Key) => Promise<Client>,
): ClientCache<Key, Client> {
  const clients = new Map<Key, Promise<Client>>()
  return {
    get: key => {
      const openedClient = clients.get(key)
      if (openedClient !== undefined) return openedClient
      const newClient = open(key)
      clients.set(key, newClient)
      newClient.catch(() => clients.delete(key))
      return newClient
    },
    forget: key => void clients.delete(key),
  }
}
