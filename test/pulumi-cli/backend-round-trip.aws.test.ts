import { describeWithServices } from '../aws/describe-with-services.ts'
import { describeRoundTrips } from './backend-round-trip.ts'

describeWithServices('round trips on emulated object stores', ['S3'], () =>
  // The nightly tier runs the other stores and layouts.
  describeRoundTrips([['s3', 'project']]),
)
