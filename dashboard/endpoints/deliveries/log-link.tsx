import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../ui/workspace.ts'

type Sent = { endpointId: string; deliveryId: string }

/** A link to a delivery in its endpoint's log. With `about`, a message or an order, the log shows only its deliveries. */
export function LogLink({ of: { endpointId, deliveryId }, about, label }: { of: Sent; about?: string; label: string }) {
  const { workspaceId } = useWorkspace()
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link
          {...props}
          to="/w/$workspaceId/endpoints/$endpointId"
          params={{ workspaceId, endpointId }}
          search={{ delivery: deliveryId, ...(about !== undefined && { about }) }}
        />
      )}
    >
      {label}
    </Anchor>
  )
}
