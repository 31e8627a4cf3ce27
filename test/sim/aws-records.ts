import type { BlobsPort } from '../../shared/ports/records.ts'
import { DeployError } from '../../shared/errors/error.ts'
import type { SendEffect } from './send-effect.ts'
import type { AwsServices } from './aws-services.ts'
import {
  type AwsRecords,
  type PortCall,
  parseHeadRequest,
  effectNameOf,
  createPortRecords,
} from './dynamo-calls.ts'
import type { DynamoCommand } from './watched-dynamo.ts'
import { sendHeadRequest } from './head-requests.ts'
import type { SimNode } from './node.ts'
import type { World } from './world.ts'

/**
 * Creates the record ports of a process over the DynamoDB adapters. Each request is an effect of
 * its own.
 */
export function createAwsRecords(
  world: World,
  { dynamo, sendWithAnomalies }: AwsServices,
  deps: { readonly sendEffect: SendEffect; readonly node: SimNode; readonly blobs: BlobsPort },
): AwsRecords {
  const { sendEffect, node, blobs } = deps
  const { clock, random } = node
  const send = (command: DynamoCommand, portCall: PortCall): Promise<unknown> => {
    const request = parseHeadRequest(command, portCall)
    const run = (): Promise<unknown> =>
      sendWithAnomalies(command, sentCommand => dynamo.send(sentCommand, request))
    const effect =
      request === undefined
        ? sendEffect(effectNameOf(command, portCall), run)
        : sendHeadRequest(world, sendEffect, { request, run })
    return effect.catch((thrown: unknown) => {
      throw toServiceError(thrown)
    })
  }
  return createPortRecords(send, { clock, random, blobs })
}

/** Converts `STORE_UNAVAILABLE` into DynamoDB's throttling error. Returns other errors as is. */
function toServiceError(thrown: unknown): unknown {
  if (!(thrown instanceof DeployError) || thrown.code !== 'STORE_UNAVAILABLE') return thrown
  return Object.assign(new Error(thrown.message), { name: 'ThrottlingException' })
}
