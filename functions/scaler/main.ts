import { openScaler } from './open-scaler.ts'
import { serveScaling } from './serve-scaling.ts'

const deps = openScaler(process.env)

/** The Lambda handler of the scaler, which senders and tasks of the long pool call. */
export const handler = (event: unknown): Promise<Readonly<Record<string, number>>> =>
  serveScaling(deps, event)
