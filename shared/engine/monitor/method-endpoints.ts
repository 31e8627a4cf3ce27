/** An address of the monitor that one method call has for itself. */
export interface MethodEndpoint {
  /** `127.0.0.1:<port>` */
  readonly address: string
  /** Whether anything was asked there that has an effect, or an answer of its own. */
  readonly wasUsed: () => boolean
  /** Says that the call is over. */
  readonly close: () => void
}

/** Addresses for method calls, as many as there are calls at once. */
export interface MethodEndpoints {
  readonly open: () => Promise<MethodEndpoint>
}

/**
 * Whose answer says nothing about what a method does: SDKs ask these whenever they connect. All
 * else is asked again by a later life, or its answer counted.
 */
const handshakeMethods: ReadonlySet<string> = new Set(['getDeploymentInfo', 'supportsFeature'])

/**
 * Addresses that are opened on demand and used again. `open` serves the monitor at a new address
 * and tells the name of each method that is asked there.
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
