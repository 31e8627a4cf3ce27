import type { ResourceType } from '../../terraform/driver/terraform-package.ts'
import type {
  ApplyRequest,
  ApplyResponse,
  PlanRequest,
  PlanResponse,
  TerraformClient,
} from '../../terraform/client/terraform-client.ts'

type Response<M extends 'readResource' | 'upgradeResourceState'> = Awaited<
  ReturnType<TerraformClient[M]>
>

/** A request and its response. */
export interface RecordedCall<Req, Res> {
  readonly request: Req
  readonly response: Res
}

/** The calls that returned states of one resource type. */
export interface RecordedCalls {
  readonly plans: RecordedCall<PlanRequest, PlanResponse>[]
  readonly applies: RecordedCall<ApplyRequest, ApplyResponse>[]
  readonly reads: RecordedCall<
    Parameters<TerraformClient['readResource']>[0],
    Response<'readResource'>
  >[]
  readonly upgrades: RecordedCall<
    Parameters<TerraformClient['upgradeResourceState']>[0],
    Response<'upgradeResourceState'>
  >[]
}

/** The calls of a resource type and its schema, which the checks of Terraform's core need. */
export interface CoreCheckSubject {
  readonly resource: ResourceType
  readonly calls: RecordedCalls
}

/** The recorder of a client's calls, by the name of the resource type in Terraform. */
export interface CallRecorder {
  readonly wrapClient: (client: TerraformClient) => TerraformClient
  readonly getCalls: (typeName: string) => RecordedCalls
}

/** Creates a recorder. It changes no call. */
export function createCallRecorder(): CallRecorder {
  const callsByType = new Map<string, RecordedCalls>()
  const getCalls = (typeName: string): RecordedCalls => {
    const existing = callsByType.get(typeName)
    if (existing !== undefined) return existing
    const calls: RecordedCalls = { plans: [], applies: [], reads: [], upgrades: [] }
    callsByType.set(typeName, calls)
    return calls
  }
  return {
    getCalls,
    wrapClient: client => ({
      ...client,
      async planResourceChange(request) {
        const response = await client.planResourceChange(request)
        getCalls(request.typeName).plans.push({ request, response })
        return response
      },
      async applyResourceChange(request) {
        const response = await client.applyResourceChange(request)
        getCalls(request.typeName).applies.push({ request, response })
        return response
      },
      async readResource(request) {
        const response = await client.readResource(request)
        getCalls(request.typeName).reads.push({ request, response })
        return response
      },
      async upgradeResourceState(request) {
        const response = await client.upgradeResourceState(request)
        getCalls(request.typeName).upgrades.push({ request, response })
        return response
      },
    }),
  }
}
