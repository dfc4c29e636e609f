"""A stored proposal as people see it."""

from gateway.service.base import Proposal
from gateway.service.card_text import load, load_outcomes
from gateway.store.base import ProposalRow


def proposal_of(row: ProposalRow, mono: float) -> Proposal:
    """The proposal as people see it at the monotonic time `mono`."""
    card = load(row.body)
    return Proposal(
        id=row.id,
        nonce=row.nonce,
        state=row.state,
        kind=card.kind,
        procedure=card.procedure,
        title=card.title,
        steps=tuple(step.shown for step in card.steps) if card.procedure else (),
        writes=tuple(write.shown for write in card.writes),
        alarm=card.alarm,
        reason=card.reason,
        proposer=row.proposer,
        via=card.via,
        role=card.role,
        confirm=card.confirm,
        approvals_needed=row.approvals_needed,
        approved_by=row.approved_by,
        created_at=row.created_at,
        expires_s=max(0.0, row.expires_mono - mono) if row.state == "PENDING" else 0.0,
        outcomes=load_outcomes(row.outcomes),
        finished_by=row.finished_by,
        why=row.why,
        notes=card.notes,
    )
