"""Pi by midpoints, each rank its share, added up by MPI_Allreduce: libmpi itself, without bindings to install."""
import ctypes
import ctypes.util
import os
import socket

INTERVALS = 1_000_000

mpi = ctypes.CDLL(ctypes.util.find_library('mpi') or 'libmpi.so.40', mode=ctypes.RTLD_GLOBAL)


def handle(name):
    """An Open MPI constant: the address of a global."""
    return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, name)))


def number_of(function):
    number = ctypes.c_int()
    getattr(mpi, function)(handle('ompi_mpi_comm_world'), ctypes.byref(number))
    return number.value


mpi.MPI_Init(None, None)
rank, size = number_of('MPI_Comm_rank'), number_of('MPI_Comm_size')
part = sum(4.0 / (1.0 + ((i + 0.5) / INTERVALS) ** 2) for i in range(rank, INTERVALS, size)) / INTERVALS
mine, total = ctypes.c_double(part), ctypes.c_double()
mpi.MPI_Allreduce(ctypes.byref(mine), ctypes.byref(total), 1, handle('ompi_mpi_double'), handle('ompi_mpi_op_sum'),
                  handle('ompi_mpi_comm_world'))
print(f'rank {rank} of {size} on {socket.gethostname()}', flush=True)
if rank == 0:
    print(f'pi is {total.value:.10f}', flush=True)
mpi.MPI_Finalize()
os._exit(0)  # what libmpi registered is undone; the interpreter need not try again
