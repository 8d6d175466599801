import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../ui/workspace.ts'

type Sent = { endpointId: string; deliveryId: string }

/** To a delivery in its endpoint's log; among those of `about`, a message or an order, if that is given. */
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
