import type { BlobsPort } from '../../shared/ports/records.ts'
import { DeployError } from '../../shared/errors/error.ts'
import type { Ask } from './ask.ts'
import type { AwsServices } from './aws-services.ts'
import { type AwsRecords, type Calling, headIn, nameOf, recordsOver } from './dynamo-calls.ts'
import type { Command } from './dynamo-watch.ts'
import { askOfHead } from './head-requests.ts'
import type { SimNode } from './node.ts'
import type { World } from './world.ts'

/** Records of a process over the adapters for DynamoDB; each request is an effect of its own. */
export function awsRecordsOver(
  world: World,
  { dynamo, weather }: AwsServices,
  about: { readonly ask: Ask; readonly node: SimNode; readonly blobs: BlobsPort },
): AwsRecords {
  const { ask, node, blobs } = about
  const { clock, random } = node
  const send = (command: Command, calling: Calling): Promise<unknown> => {
    const request = headIn(command, calling)
    const run = (): Promise<unknown> => weather(command, one => dynamo.send(one, request))
    const asked =
      request === undefined
        ? ask(nameOf(command, calling), run)
        : askOfHead(world, ask, { request, run })
    return asked.catch((thrown: unknown) => {
      throw asServiceSays(thrown)
    })
  }
  return recordsOver(send, { clock, random, blobs })
}

/** A bad moment of the store, as DynamoDB says it. */
function asServiceSays(thrown: unknown): unknown {
  if (!(thrown instanceof DeployError) || thrown.code !== 'STORE_UNAVAILABLE') return thrown
  return Object.assign(new Error(thrown.message), { name: 'ThrottlingException' })
}
