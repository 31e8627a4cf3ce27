import { Tags } from 'aws-cdk-lib'
import { Construct } from 'constructs'
import { awsTags } from '../../shared/config/aws-resource-names.ts'

/** Creates a scope whose resources are tagged with its name, so that bills show its cost. */
export function createTaggedScope(scope: Construct, id: string): Construct {
  const part = new Construct(scope, id)
  Tags.of(part).add(awsTags.part, id)
  return part
}
