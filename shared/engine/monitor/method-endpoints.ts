/** An address of the monitor for a single method call. */
export interface MethodEndpoint {
  /** `127.0.0.1:<port>` */
  readonly address: string
  /** Reports whether a request arrived there that has an effect or a result of its own. */
  readonly wasUsed: () => boolean
  /** Ends the use of the address. */
  readonly close: () => void
}

/** Addresses for method calls, one per concurrent call. */
export interface MethodEndpoints {
  readonly open: () => Promise<MethodEndpoint>
}

/**
 * Requests that SDKs send on every connect, which reveal nothing about a method. Any other request
 * must be repeated by a later generator run, or its result is counted.
 */
const handshakeMethods: ReadonlySet<string> = new Set(['getDeploymentInfo', 'supportsFeature'])

/**
 * Creates addresses on demand and reuses them. `serve` serves the monitor at a new address, and
 * calls `onCall` with the name of each called method.
 */
export function createMethodEndpoints(
  serve: (onCall: (method: string) => void) => Promise<string>,
): MethodEndpoints {
  const idle: ReusableEndpoint[] = []
  const openEndpoint = async (): Promise<ReusableEndpoint> => {
    const use = { wasUsed: false }
    const address = await serve(method => {
      if (!handshakeMethods.has(method)) use.wasUsed = true
    })
    return { address, use }
  }
  return {
    async open() {
      const place = idle.pop() ?? (await openEndpoint())
      place.use.wasUsed = false
      return {
        address: place.address,
        wasUsed: () => place.use.wasUsed,
        close: () => void idle.push(place),
      }
    },
  }
}

interface ReusableEndpoint {
  readonly address: string
  readonly use: { wasUsed: boolean }
}
