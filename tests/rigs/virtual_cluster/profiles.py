# SPDX-License-Identifier: Apache-2.0
"""Named Open MPI settings for TCP over shaped links; the rig's, never the product's."""

_COMMON = {
    # The default packs host names into a pattern, and hangs on one that is not ASCII.
    "OMPI_MCA_regx": "naive",
}

_MESSAGE = str(4 * 1024 * 1024)

PROFILES: dict[str, dict[str, str]] = {
    # Both directions at once reach 96 % of nominal at any size. By default they take turns, 50 %:
    # a pair has one socket, where each message's handshake waits behind the other direction's data.
    # Latency is no worse than by default, so it has no profile of its own.
    "bandwidth": _COMMON
    | {
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "self,vader,tcp",
        "OMPI_MCA_btl_tcp_flags": "1",  # send only: a put is what needs the handshake
        "OMPI_MCA_btl_tcp_eager_limit": _MESSAGE,
        "OMPI_MCA_btl_tcp_rndv_eager_limit": _MESSAGE,
        "OMPI_MCA_btl_tcp_max_send_size": _MESSAGE,
    },
    # UCX takes plain TCP only when told to, and its rendezvous has the same weakness.
    "ucx": _COMMON
    | {
        "OMPI_MCA_pml": "ucx",
        "OMPI_MCA_opal_common_ucx_tls": "any",
        "OMPI_MCA_opal_common_ucx_devices": "any",
        "UCX_TLS": "tcp,self,sm",
        "UCX_RNDV_THRESH": "inf",
    },
    "plain": _COMMON,
}
