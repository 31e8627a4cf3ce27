import type { CallAddress } from '../generator/calls/call-method.ts'

/** Addresses for method calls, one per concurrent call. */
export interface CallAddresses {
  readonly open: () => Promise<CallAddress>
}

/**
 * Requests that SDKs send on every connect. They do not count as a use of the address. If a method
 * call used its address, a later generator run must repeat that call.
 */
const handshakeMethods: ReadonlySet<string> = new Set(['getDeploymentInfo', 'supportsFeature'])

/**
 * Creates addresses on demand and reuses them. `serve` serves the monitor at a new address, and
 * calls `onCall` with the name of each called gRPC method.
 */
export function createCallAddresses(
  serve: (onCall: (method: string) => void) => Promise<string>,
): CallAddresses {
  const idleEndpoints: ReusableEndpoint[] = []
  const openEndpoint = async (): Promise<ReusableEndpoint> => {
    const usage = { wasUsed: false }
    const address = await serve(method => {
      if (!handshakeMethods.has(method)) usage.wasUsed = true
    })
    return { address, usage }
  }
  return {
    async open() {
      const endpoint = idleEndpoints.pop() ?? (await openEndpoint())
      endpoint.usage.wasUsed = false
      return {
        address: endpoint.address,
        wasUsed: () => endpoint.usage.wasUsed,
        close: () => void idleEndpoints.push(endpoint),
      }
    },
  }
}

/** An address, and whether the current method call used it. */
interface ReusableEndpoint {
  readonly address: string
  readonly usage: { wasUsed: boolean }
}
